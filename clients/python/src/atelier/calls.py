"""A signature for each path and workflow. Made from openapi.json by `npm run generate`: changes by hand are lost."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Any, List, Literal, overload

from .openapi import (
    BackgroundGeneratorBody,
    BackgroundSwapWithImageBody,
    BackgroundSwapWithSpecBody,
    BucketResponse,
    BucketTestResponse,
    CatalogEntryResponse,
    CatalogListResponse,
    CatalogResource,
    CatalogShotsBody,
    ClientTokenResponse,
    CompatibilityCheckBody,
    CompatibilityCheckResponse,
    ComplementaryGarmentGeneratorBody,
    CompletionBody,
    CreateClientTokenBody,
    CreateProductBody,
    CreateWebhookBody,
    CreditsResponse,
    DeliveryListResponse,
    DeliveryResponse,
    DeliveryStatus,
    DirectUploadBody,
    DirectUploadResponse,
    DryRunResponse,
    ErasureResponse,
    ExtractBody,
    GarmentCategoryListResponse,
    GarmentCategoryResponse,
    GrantReleaseBody,
    HealthResponse,
    ImageModelListResponse,
    ImportBody,
    JobDetailResponse,
    JobEventsResponse,
    JobListResponse,
    JobStatus,
    JobSummaryResponse,
    KeyListResponse,
    KeyResponse,
    KeySpendingListResponse,
    KeySpendingResponse,
    LedgerEntryResponse,
    LedgerResponse,
    ListedJobType,
    LookBody,
    ModelGeneratorBody,
    ModelSwapWithImageBody,
    OperationListResponse,
    PassportResponse,
    PdpBatchExtractionsBody,
    PdpExtractionsBody,
    PresetKind,
    PresetTileResponse,
    ProductListResponse,
    ProductResponse,
    ProductStatus,
    ProductToModelDirectBody,
    ProductToModelPhasedBody,
    ReceiptResponse,
    ReleaseListResponse,
    ReleaseResponse,
    ReleaseRuleBody,
    ReleaseRuleResponse,
    ReleaseStatus,
    ReleaseTermsBody,
    ReleaseUseResponse,
    ReleaseUsesResponse,
    RenderListResponse,
    RenderResponse,
    RequestedResendResponse,
    RequestedTestResponse,
    ResendWebhookBody,
    RetentionBody,
    RetentionResponse,
    ReviseWebhookBody,
    RotateWebhookSecretBody,
    TryOnBody,
    UpdateProductBody,
    UploadResponse,
    UsageListResponse,
    UsageRowResponse,
    VerificationResponse,
    VerifyBody,
    WebhookListResponse,
    WebhookResponse,
    WebhookWithSecretResponse,
    WithdrawReleaseBody,
)
from .run import AsyncRun, Run


class Calls(ABC):
    """The calls of the interface, by path and by workflow."""

    @overload
    def run(
        self,
        workflow: Literal["try-on"],
        body: TryOnBody,
        /,
        *,
        idempotency_key: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Run: ...

    @overload
    def run(
        self,
        workflow: Literal["model-generator"],
        body: ModelGeneratorBody,
        /,
        *,
        idempotency_key: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Run: ...

    @overload
    def run(
        self,
        workflow: Literal["background-generator"],
        body: BackgroundGeneratorBody,
        /,
        *,
        idempotency_key: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Run: ...

    @overload
    def run(
        self,
        workflow: Literal["complementary-garment-generator"],
        body: ComplementaryGarmentGeneratorBody,
        /,
        *,
        idempotency_key: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Run: ...

    @overload
    def run(
        self,
        workflow: Literal["product-to-model-direct"],
        body: ProductToModelDirectBody,
        /,
        *,
        idempotency_key: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Run: ...

    @overload
    def run(
        self,
        workflow: Literal["product-to-model-phased"],
        body: ProductToModelPhasedBody,
        /,
        *,
        idempotency_key: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Run: ...

    @overload
    def run(
        self,
        workflow: Literal["background-swap-with-image"],
        body: BackgroundSwapWithImageBody,
        /,
        *,
        idempotency_key: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Run: ...

    @overload
    def run(
        self,
        workflow: Literal["background-swap-with-spec"],
        body: BackgroundSwapWithSpecBody,
        /,
        *,
        idempotency_key: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Run: ...

    @overload
    def run(
        self,
        workflow: Literal["model-swap-with-image"],
        body: ModelSwapWithImageBody,
        /,
        *,
        idempotency_key: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Run: ...

    @overload
    def run(
        self,
        workflow: Literal["extract"],
        body: ExtractBody,
        /,
        *,
        idempotency_key: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Run: ...

    @overload
    def run(
        self,
        workflow: Literal["look"],
        body: LookBody,
        /,
        *,
        idempotency_key: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Run: ...

    @overload
    def run(
        self,
        workflow: Literal["catalog-shots"],
        body: CatalogShotsBody,
        /,
        *,
        idempotency_key: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Run: ...

    @overload
    def run(
        self,
        workflow: Literal["pdp-extractions"],
        body: PdpExtractionsBody,
        /,
        *,
        idempotency_key: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Run: ...

    @overload
    def run(
        self,
        workflow: Literal["pdp-batch-extractions"],
        body: PdpBatchExtractionsBody,
        /,
        *,
        idempotency_key: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Run: ...

    def run(
        self,
        workflow: str,
        body: Any,
        /,
        *,
        idempotency_key: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Run:
        """Orders pictures. Files in the body are uploaded first. The client repeats the dispatch under
        one Idempotency-Key until it gets an answer, so it is charged once.

        idempotency_key: your own key, which survives restarts of your process.
        """
        return self._run(workflow, body, idempotency_key, headers)

    @overload
    def quote(self, workflow: Literal["try-on"], body: TryOnBody, /) -> DryRunResponse: ...

    @overload
    def quote(
        self,
        workflow: Literal["model-generator"],
        body: ModelGeneratorBody,
        /,
    ) -> DryRunResponse: ...

    @overload
    def quote(
        self,
        workflow: Literal["background-generator"],
        body: BackgroundGeneratorBody,
        /,
    ) -> DryRunResponse: ...

    @overload
    def quote(
        self,
        workflow: Literal["complementary-garment-generator"],
        body: ComplementaryGarmentGeneratorBody,
        /,
    ) -> DryRunResponse: ...

    @overload
    def quote(
        self,
        workflow: Literal["product-to-model-direct"],
        body: ProductToModelDirectBody,
        /,
    ) -> DryRunResponse: ...

    @overload
    def quote(
        self,
        workflow: Literal["product-to-model-phased"],
        body: ProductToModelPhasedBody,
        /,
    ) -> DryRunResponse: ...

    @overload
    def quote(
        self,
        workflow: Literal["background-swap-with-image"],
        body: BackgroundSwapWithImageBody,
        /,
    ) -> DryRunResponse: ...

    @overload
    def quote(
        self,
        workflow: Literal["background-swap-with-spec"],
        body: BackgroundSwapWithSpecBody,
        /,
    ) -> DryRunResponse: ...

    @overload
    def quote(
        self,
        workflow: Literal["model-swap-with-image"],
        body: ModelSwapWithImageBody,
        /,
    ) -> DryRunResponse: ...

    @overload
    def quote(self, workflow: Literal["extract"], body: ExtractBody, /) -> DryRunResponse: ...

    @overload
    def quote(self, workflow: Literal["look"], body: LookBody, /) -> DryRunResponse: ...

    @overload
    def quote(
        self,
        workflow: Literal["catalog-shots"],
        body: CatalogShotsBody,
        /,
    ) -> DryRunResponse: ...

    @overload
    def quote(
        self,
        workflow: Literal["pdp-extractions"],
        body: PdpExtractionsBody,
        /,
    ) -> DryRunResponse: ...

    @overload
    def quote(
        self,
        workflow: Literal["pdp-batch-extractions"],
        body: PdpBatchExtractionsBody,
        /,
    ) -> DryRunResponse: ...

    def quote(self, workflow: str, body: Any, /) -> DryRunResponse:
        """The price of `run`, and whether it would be accepted now. Uploads files in the body, but
        charges nothing.
        """
        return self._quote(workflow, body)

    @overload
    def get(
        self,
        path: Literal["/v1/uploads/{public_id}"],
        /,
        *,
        public_id: str,
    ) -> UploadResponse: ...

    @overload
    def get(
        self,
        path: Literal["/v1/products"],
        /,
        *,
        limit: int = ...,
        offset: int = ...,
        status: ProductStatus = ...,
        external_ref: str = ...,
    ) -> ProductListResponse: ...

    @overload
    def get(
        self,
        path: Literal["/v1/products/{public_id}"],
        /,
        *,
        public_id: str,
    ) -> ProductResponse: ...

    @overload
    def get(
        self,
        path: Literal["/v1/presets"],
        /,
        *,
        kind: PresetKind,
    ) -> List[PresetTileResponse]: ...

    @overload
    def get(
        self,
        path: Literal["/v1/catalog/{resource}"],
        /,
        *,
        resource: CatalogResource,
        limit: int = ...,
        offset: int = ...,
    ) -> CatalogListResponse: ...

    @overload
    def get(
        self,
        path: Literal["/v1/garment-categories"],
        /,
        *,
        limit: int = ...,
        offset: int = ...,
    ) -> GarmentCategoryListResponse: ...

    @overload
    def get(
        self,
        path: Literal["/v1/jobs"],
        /,
        *,
        limit: int = ...,
        offset: int = ...,
        job_type: List[ListedJobType] = ...,
        status: JobStatus = ...,
        created_after: str = ...,
        cursor: str = ...,
    ) -> JobListResponse: ...

    @overload
    def get(
        self,
        path: Literal["/v1/jobs/{public_id}"],
        /,
        *,
        public_id: str,
    ) -> JobDetailResponse: ...

    @overload
    def get(self, path: Literal["/v1/jobs/{public_id}/pictures"], /, *, public_id: str) -> None: ...

    @overload
    def get(
        self,
        path: Literal["/v1/jobs/{public_id}/events"],
        /,
        *,
        public_id: str,
        since: int = ...,
        wait: int = ...,
    ) -> JobEventsResponse: ...

    @overload
    def get(
        self,
        path: Literal["/v1/renders"],
        /,
        *,
        limit: int = ...,
        offset: int = ...,
    ) -> RenderListResponse: ...

    @overload
    def get(
        self,
        path: Literal["/v1/renders/{public_id}"],
        /,
        *,
        public_id: str,
    ) -> RenderResponse: ...

    @overload
    def get(self, path: Literal["/v1/credits"], /) -> CreditsResponse: ...

    @overload
    def get(
        self,
        path: Literal["/v1/usage"],
        /,
        *,
        limit: int = ...,
        offset: int = ...,
    ) -> UsageListResponse: ...

    @overload
    def get(
        self,
        path: Literal["/v1/transactions"],
        /,
        *,
        limit: int = ...,
        offset: int = ...,
    ) -> LedgerResponse: ...

    @overload
    def get(self, path: Literal["/v1/operations"], /) -> OperationListResponse: ...

    @overload
    def get(self, path: Literal["/v1/image-models"], /) -> ImageModelListResponse: ...

    @overload
    def get(self, path: Literal["/v1/bucket"], /) -> BucketResponse: ...

    @overload
    def get(self, path: Literal["/v1/data-subjects/{name}"], /, *, name: str) -> None: ...

    @overload
    def get(
        self,
        path: Literal["/v1/erasures/{public_id}"],
        /,
        *,
        public_id: str,
    ) -> ErasureResponse: ...

    @overload
    def get(
        self,
        path: Literal["/v1/erasures/{public_id}/receipt"],
        /,
        *,
        public_id: str,
    ) -> ReceiptResponse: ...

    @overload
    def get(self, path: Literal["/v1/retention"], /) -> RetentionResponse: ...

    @overload
    def get(
        self,
        path: Literal["/v1/keys"],
        /,
        *,
        limit: int = ...,
        offset: int = ...,
    ) -> KeyListResponse: ...

    @overload
    def get(
        self,
        path: Literal["/v1/usage/by-key"],
        /,
        *,
        limit: int = ...,
        offset: int = ...,
        since: str = ...,
        until: str = ...,
    ) -> KeySpendingListResponse: ...

    @overload
    def get(
        self,
        path: Literal["/v1/renders/{public_id}/passport"],
        /,
        *,
        public_id: str,
    ) -> PassportResponse: ...

    @overload
    def get(
        self,
        path: Literal["/v1/releases"],
        /,
        *,
        limit: int = ...,
        offset: int = ...,
        data_subject: str = ...,
        status: ReleaseStatus = ...,
    ) -> ReleaseListResponse: ...

    @overload
    def get(
        self,
        path: Literal["/v1/releases/{public_id}"],
        /,
        *,
        public_id: str,
    ) -> ReleaseResponse: ...

    @overload
    def get(
        self,
        path: Literal["/v1/releases/{public_id}/uses"],
        /,
        *,
        public_id: str,
        limit: int = ...,
        offset: int = ...,
        since: str = ...,
        until: str = ...,
        format: str = ...,
    ) -> ReleaseUsesResponse: ...

    @overload
    def get(self, path: Literal["/v1/release-rule"], /) -> ReleaseRuleResponse: ...

    @overload
    def get(self, path: Literal["/v1/webhooks"], /) -> WebhookListResponse: ...

    @overload
    def get(
        self,
        path: Literal["/v1/webhooks/{public_id}"],
        /,
        *,
        public_id: str,
    ) -> WebhookResponse: ...

    @overload
    def get(
        self,
        path: Literal["/v1/webhooks/{public_id}/deliveries"],
        /,
        *,
        public_id: str,
        limit: int = ...,
        offset: int = ...,
        status: DeliveryStatus = ...,
    ) -> DeliveryListResponse: ...

    @overload
    def get(self, path: Literal["/health/live"], /) -> HealthResponse: ...

    @overload
    def get(self, path: Literal["/health/ready"], /) -> HealthResponse: ...

    def get(self, path: str, /, **asked: Any) -> Any:
        """A GET by path."""
        return self._call("GET", path, None, asked)

    @overload
    def post(self, path: Literal["/v1/uploads/import"], body: ImportBody, /) -> UploadResponse: ...

    @overload
    def post(
        self,
        path: Literal["/v1/uploads/direct"],
        body: DirectUploadBody,
        /,
    ) -> DirectUploadResponse: ...

    @overload
    def post(
        self,
        path: Literal["/v1/uploads/direct/{public_id}/complete"],
        body: CompletionBody,
        /,
        *,
        public_id: str,
    ) -> UploadResponse: ...

    @overload
    def post(
        self,
        path: Literal["/v1/products"],
        body: CreateProductBody,
        /,
    ) -> ProductResponse: ...

    @overload
    def post(
        self,
        path: Literal["/v1/compatibility/check"],
        body: CompatibilityCheckBody,
        /,
    ) -> CompatibilityCheckResponse: ...

    @overload
    def post(
        self,
        path: Literal["/v1/jobs/{public_id}/cancel"],
        body: None = None,
        /,
        *,
        public_id: str,
    ) -> JobDetailResponse: ...

    @overload
    def post(
        self,
        path: Literal["/v1/client-tokens"],
        body: CreateClientTokenBody,
        /,
    ) -> ClientTokenResponse: ...

    @overload
    def post(
        self,
        path: Literal["/v1/bucket/test"],
        body: None = None,
        /,
    ) -> BucketTestResponse: ...

    @overload
    def post(self, path: Literal["/v1/verify"], body: VerifyBody, /) -> VerificationResponse: ...

    @overload
    def post(self, path: Literal["/v1/releases"], body: GrantReleaseBody, /) -> ReleaseResponse: ...

    @overload
    def post(
        self,
        path: Literal["/v1/releases/{public_id}/revise"],
        body: ReleaseTermsBody,
        /,
        *,
        public_id: str,
    ) -> ReleaseResponse: ...

    @overload
    def post(
        self,
        path: Literal["/v1/releases/{public_id}/withdraw"],
        body: WithdrawReleaseBody,
        /,
        *,
        public_id: str,
    ) -> ReleaseResponse: ...

    @overload
    def post(
        self,
        path: Literal["/v1/webhooks"],
        body: CreateWebhookBody,
        /,
    ) -> WebhookWithSecretResponse: ...

    @overload
    def post(
        self,
        path: Literal["/v1/webhooks/{public_id}/rotate-secret"],
        body: RotateWebhookSecretBody,
        /,
        *,
        public_id: str,
    ) -> WebhookWithSecretResponse: ...

    @overload
    def post(
        self,
        path: Literal["/v1/webhooks/{public_id}/test"],
        body: None = None,
        /,
        *,
        public_id: str,
    ) -> RequestedTestResponse: ...

    @overload
    def post(
        self,
        path: Literal["/v1/webhooks/{public_id}/resend"],
        body: ResendWebhookBody,
        /,
        *,
        public_id: str,
    ) -> RequestedResendResponse: ...

    def post(self, path: str, body: Any = None, /, **asked: Any) -> Any:
        """A POST by path. Files in the body are uploaded."""
        return self._call("POST", path, body, asked)

    @overload
    def patch(
        self,
        path: Literal["/v1/products/{public_id}"],
        body: UpdateProductBody,
        /,
        *,
        public_id: str,
    ) -> ProductResponse: ...

    @overload
    def patch(
        self,
        path: Literal["/v1/retention"],
        body: RetentionBody,
        /,
    ) -> RetentionResponse: ...

    @overload
    def patch(
        self,
        path: Literal["/v1/release-rule"],
        body: ReleaseRuleBody,
        /,
    ) -> ReleaseRuleResponse: ...

    @overload
    def patch(
        self,
        path: Literal["/v1/webhooks/{public_id}"],
        body: ReviseWebhookBody,
        /,
        *,
        public_id: str,
    ) -> WebhookResponse: ...

    def patch(self, path: str, body: Any = None, /, **asked: Any) -> Any:
        """A PATCH by path. Files in the body are uploaded."""
        return self._call("PATCH", path, body, asked)

    @overload
    def delete(
        self,
        path: Literal["/v1/catalog/{resource}/{public_id}"],
        /,
        *,
        resource: CatalogResource,
        public_id: str,
    ) -> None: ...

    @overload
    def delete(self, path: Literal["/v1/bucket"], /) -> None: ...

    @overload
    def delete(self, path: Literal["/v1/webhooks/{public_id}"], /, *, public_id: str) -> None: ...

    def delete(self, path: str, /, **asked: Any) -> Any:
        """A DELETE by path."""
        return self._call("DELETE", path, None, asked)

    @overload
    def list(
        self,
        path: Literal["/v1/products"],
        /,
        *,
        status: ProductStatus = ...,
        external_ref: str = ...,
    ) -> Iterator[ProductResponse]: ...

    @overload
    def list(
        self,
        path: Literal["/v1/catalog/{resource}"],
        /,
        *,
        resource: CatalogResource,
    ) -> Iterator[CatalogEntryResponse]: ...

    @overload
    def list(
        self,
        path: Literal["/v1/garment-categories"],
        /,
    ) -> Iterator[GarmentCategoryResponse]: ...

    @overload
    def list(
        self,
        path: Literal["/v1/jobs"],
        /,
        *,
        job_type: List[ListedJobType] = ...,
        status: JobStatus = ...,
        created_after: str = ...,
    ) -> Iterator[JobSummaryResponse]: ...

    @overload
    def list(self, path: Literal["/v1/renders"], /) -> Iterator[RenderResponse]: ...

    @overload
    def list(self, path: Literal["/v1/usage"], /) -> Iterator[UsageRowResponse]: ...

    @overload
    def list(self, path: Literal["/v1/transactions"], /) -> Iterator[LedgerEntryResponse]: ...

    @overload
    def list(self, path: Literal["/v1/keys"], /) -> Iterator[KeyResponse]: ...

    @overload
    def list(
        self,
        path: Literal["/v1/usage/by-key"],
        /,
        *,
        since: str = ...,
        until: str = ...,
    ) -> Iterator[KeySpendingResponse]: ...

    @overload
    def list(
        self,
        path: Literal["/v1/releases"],
        /,
        *,
        data_subject: str = ...,
        status: ReleaseStatus = ...,
    ) -> Iterator[ReleaseResponse]: ...

    @overload
    def list(
        self,
        path: Literal["/v1/releases/{public_id}/uses"],
        /,
        *,
        public_id: str,
        since: str = ...,
        until: str = ...,
        format: str = ...,
    ) -> Iterator[ReleaseUseResponse]: ...

    @overload
    def list(
        self,
        path: Literal["/v1/webhooks/{public_id}/deliveries"],
        /,
        *,
        public_id: str,
        status: DeliveryStatus = ...,
    ) -> Iterator[DeliveryResponse]: ...

    def list(self, path: str, /, **asked: Any) -> Iterator[Any]:
        """The rows of a list, newest first, page by page."""
        return self._list(path, asked)

    @abstractmethod
    def _call(self, method: str, path: str, body: Any, asked: dict[str, Any]) -> Any: ...

    @abstractmethod
    def _list(self, path: str, asked: dict[str, Any]) -> Iterator[Any]: ...

    @abstractmethod
    def _run(
        self, workflow: str, body: Any, key: str | None, headers: Mapping[str, str] | None
    ) -> Run: ...

    @abstractmethod
    def _quote(self, workflow: str, body: Any) -> DryRunResponse: ...


class AsyncCalls(ABC):
    """The calls of the interface, by path and by workflow, for asyncio."""

    @overload
    def run(
        self,
        workflow: Literal["try-on"],
        body: TryOnBody,
        /,
        *,
        idempotency_key: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> AsyncRun: ...

    @overload
    def run(
        self,
        workflow: Literal["model-generator"],
        body: ModelGeneratorBody,
        /,
        *,
        idempotency_key: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> AsyncRun: ...

    @overload
    def run(
        self,
        workflow: Literal["background-generator"],
        body: BackgroundGeneratorBody,
        /,
        *,
        idempotency_key: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> AsyncRun: ...

    @overload
    def run(
        self,
        workflow: Literal["complementary-garment-generator"],
        body: ComplementaryGarmentGeneratorBody,
        /,
        *,
        idempotency_key: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> AsyncRun: ...

    @overload
    def run(
        self,
        workflow: Literal["product-to-model-direct"],
        body: ProductToModelDirectBody,
        /,
        *,
        idempotency_key: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> AsyncRun: ...

    @overload
    def run(
        self,
        workflow: Literal["product-to-model-phased"],
        body: ProductToModelPhasedBody,
        /,
        *,
        idempotency_key: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> AsyncRun: ...

    @overload
    def run(
        self,
        workflow: Literal["background-swap-with-image"],
        body: BackgroundSwapWithImageBody,
        /,
        *,
        idempotency_key: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> AsyncRun: ...

    @overload
    def run(
        self,
        workflow: Literal["background-swap-with-spec"],
        body: BackgroundSwapWithSpecBody,
        /,
        *,
        idempotency_key: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> AsyncRun: ...

    @overload
    def run(
        self,
        workflow: Literal["model-swap-with-image"],
        body: ModelSwapWithImageBody,
        /,
        *,
        idempotency_key: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> AsyncRun: ...

    @overload
    def run(
        self,
        workflow: Literal["extract"],
        body: ExtractBody,
        /,
        *,
        idempotency_key: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> AsyncRun: ...

    @overload
    def run(
        self,
        workflow: Literal["look"],
        body: LookBody,
        /,
        *,
        idempotency_key: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> AsyncRun: ...

    @overload
    def run(
        self,
        workflow: Literal["catalog-shots"],
        body: CatalogShotsBody,
        /,
        *,
        idempotency_key: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> AsyncRun: ...

    @overload
    def run(
        self,
        workflow: Literal["pdp-extractions"],
        body: PdpExtractionsBody,
        /,
        *,
        idempotency_key: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> AsyncRun: ...

    @overload
    def run(
        self,
        workflow: Literal["pdp-batch-extractions"],
        body: PdpBatchExtractionsBody,
        /,
        *,
        idempotency_key: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> AsyncRun: ...

    def run(
        self,
        workflow: str,
        body: Any,
        /,
        *,
        idempotency_key: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> AsyncRun:
        """Orders pictures. Files in the body are uploaded first. The client repeats the dispatch under
        one Idempotency-Key until it gets an answer, so it is charged once.

        idempotency_key: your own key, which survives restarts of your process.
        """
        return self._run(workflow, body, idempotency_key, headers)

    @overload
    async def quote(self, workflow: Literal["try-on"], body: TryOnBody, /) -> DryRunResponse: ...

    @overload
    async def quote(
        self,
        workflow: Literal["model-generator"],
        body: ModelGeneratorBody,
        /,
    ) -> DryRunResponse: ...

    @overload
    async def quote(
        self,
        workflow: Literal["background-generator"],
        body: BackgroundGeneratorBody,
        /,
    ) -> DryRunResponse: ...

    @overload
    async def quote(
        self,
        workflow: Literal["complementary-garment-generator"],
        body: ComplementaryGarmentGeneratorBody,
        /,
    ) -> DryRunResponse: ...

    @overload
    async def quote(
        self,
        workflow: Literal["product-to-model-direct"],
        body: ProductToModelDirectBody,
        /,
    ) -> DryRunResponse: ...

    @overload
    async def quote(
        self,
        workflow: Literal["product-to-model-phased"],
        body: ProductToModelPhasedBody,
        /,
    ) -> DryRunResponse: ...

    @overload
    async def quote(
        self,
        workflow: Literal["background-swap-with-image"],
        body: BackgroundSwapWithImageBody,
        /,
    ) -> DryRunResponse: ...

    @overload
    async def quote(
        self,
        workflow: Literal["background-swap-with-spec"],
        body: BackgroundSwapWithSpecBody,
        /,
    ) -> DryRunResponse: ...

    @overload
    async def quote(
        self,
        workflow: Literal["model-swap-with-image"],
        body: ModelSwapWithImageBody,
        /,
    ) -> DryRunResponse: ...

    @overload
    async def quote(self, workflow: Literal["extract"], body: ExtractBody, /) -> DryRunResponse: ...

    @overload
    async def quote(self, workflow: Literal["look"], body: LookBody, /) -> DryRunResponse: ...

    @overload
    async def quote(
        self,
        workflow: Literal["catalog-shots"],
        body: CatalogShotsBody,
        /,
    ) -> DryRunResponse: ...

    @overload
    async def quote(
        self,
        workflow: Literal["pdp-extractions"],
        body: PdpExtractionsBody,
        /,
    ) -> DryRunResponse: ...

    @overload
    async def quote(
        self,
        workflow: Literal["pdp-batch-extractions"],
        body: PdpBatchExtractionsBody,
        /,
    ) -> DryRunResponse: ...

    async def quote(self, workflow: str, body: Any, /) -> DryRunResponse:
        """The price of `run`, and whether it would be accepted now. Uploads files in the body, but
        charges nothing.
        """
        return await self._quote(workflow, body)

    @overload
    async def get(
        self,
        path: Literal["/v1/uploads/{public_id}"],
        /,
        *,
        public_id: str,
    ) -> UploadResponse: ...

    @overload
    async def get(
        self,
        path: Literal["/v1/products"],
        /,
        *,
        limit: int = ...,
        offset: int = ...,
        status: ProductStatus = ...,
        external_ref: str = ...,
    ) -> ProductListResponse: ...

    @overload
    async def get(
        self,
        path: Literal["/v1/products/{public_id}"],
        /,
        *,
        public_id: str,
    ) -> ProductResponse: ...

    @overload
    async def get(
        self,
        path: Literal["/v1/presets"],
        /,
        *,
        kind: PresetKind,
    ) -> List[PresetTileResponse]: ...

    @overload
    async def get(
        self,
        path: Literal["/v1/catalog/{resource}"],
        /,
        *,
        resource: CatalogResource,
        limit: int = ...,
        offset: int = ...,
    ) -> CatalogListResponse: ...

    @overload
    async def get(
        self,
        path: Literal["/v1/garment-categories"],
        /,
        *,
        limit: int = ...,
        offset: int = ...,
    ) -> GarmentCategoryListResponse: ...

    @overload
    async def get(
        self,
        path: Literal["/v1/jobs"],
        /,
        *,
        limit: int = ...,
        offset: int = ...,
        job_type: List[ListedJobType] = ...,
        status: JobStatus = ...,
        created_after: str = ...,
        cursor: str = ...,
    ) -> JobListResponse: ...

    @overload
    async def get(
        self,
        path: Literal["/v1/jobs/{public_id}"],
        /,
        *,
        public_id: str,
    ) -> JobDetailResponse: ...

    @overload
    async def get(
        self,
        path: Literal["/v1/jobs/{public_id}/pictures"],
        /,
        *,
        public_id: str,
    ) -> None: ...

    @overload
    async def get(
        self,
        path: Literal["/v1/jobs/{public_id}/events"],
        /,
        *,
        public_id: str,
        since: int = ...,
        wait: int = ...,
    ) -> JobEventsResponse: ...

    @overload
    async def get(
        self,
        path: Literal["/v1/renders"],
        /,
        *,
        limit: int = ...,
        offset: int = ...,
    ) -> RenderListResponse: ...

    @overload
    async def get(
        self,
        path: Literal["/v1/renders/{public_id}"],
        /,
        *,
        public_id: str,
    ) -> RenderResponse: ...

    @overload
    async def get(self, path: Literal["/v1/credits"], /) -> CreditsResponse: ...

    @overload
    async def get(
        self,
        path: Literal["/v1/usage"],
        /,
        *,
        limit: int = ...,
        offset: int = ...,
    ) -> UsageListResponse: ...

    @overload
    async def get(
        self,
        path: Literal["/v1/transactions"],
        /,
        *,
        limit: int = ...,
        offset: int = ...,
    ) -> LedgerResponse: ...

    @overload
    async def get(self, path: Literal["/v1/operations"], /) -> OperationListResponse: ...

    @overload
    async def get(self, path: Literal["/v1/image-models"], /) -> ImageModelListResponse: ...

    @overload
    async def get(self, path: Literal["/v1/bucket"], /) -> BucketResponse: ...

    @overload
    async def get(self, path: Literal["/v1/data-subjects/{name}"], /, *, name: str) -> None: ...

    @overload
    async def get(
        self,
        path: Literal["/v1/erasures/{public_id}"],
        /,
        *,
        public_id: str,
    ) -> ErasureResponse: ...

    @overload
    async def get(
        self,
        path: Literal["/v1/erasures/{public_id}/receipt"],
        /,
        *,
        public_id: str,
    ) -> ReceiptResponse: ...

    @overload
    async def get(self, path: Literal["/v1/retention"], /) -> RetentionResponse: ...

    @overload
    async def get(
        self,
        path: Literal["/v1/keys"],
        /,
        *,
        limit: int = ...,
        offset: int = ...,
    ) -> KeyListResponse: ...

    @overload
    async def get(
        self,
        path: Literal["/v1/usage/by-key"],
        /,
        *,
        limit: int = ...,
        offset: int = ...,
        since: str = ...,
        until: str = ...,
    ) -> KeySpendingListResponse: ...

    @overload
    async def get(
        self,
        path: Literal["/v1/renders/{public_id}/passport"],
        /,
        *,
        public_id: str,
    ) -> PassportResponse: ...

    @overload
    async def get(
        self,
        path: Literal["/v1/releases"],
        /,
        *,
        limit: int = ...,
        offset: int = ...,
        data_subject: str = ...,
        status: ReleaseStatus = ...,
    ) -> ReleaseListResponse: ...

    @overload
    async def get(
        self,
        path: Literal["/v1/releases/{public_id}"],
        /,
        *,
        public_id: str,
    ) -> ReleaseResponse: ...

    @overload
    async def get(
        self,
        path: Literal["/v1/releases/{public_id}/uses"],
        /,
        *,
        public_id: str,
        limit: int = ...,
        offset: int = ...,
        since: str = ...,
        until: str = ...,
        format: str = ...,
    ) -> ReleaseUsesResponse: ...

    @overload
    async def get(self, path: Literal["/v1/release-rule"], /) -> ReleaseRuleResponse: ...

    @overload
    async def get(self, path: Literal["/v1/webhooks"], /) -> WebhookListResponse: ...

    @overload
    async def get(
        self,
        path: Literal["/v1/webhooks/{public_id}"],
        /,
        *,
        public_id: str,
    ) -> WebhookResponse: ...

    @overload
    async def get(
        self,
        path: Literal["/v1/webhooks/{public_id}/deliveries"],
        /,
        *,
        public_id: str,
        limit: int = ...,
        offset: int = ...,
        status: DeliveryStatus = ...,
    ) -> DeliveryListResponse: ...

    @overload
    async def get(self, path: Literal["/health/live"], /) -> HealthResponse: ...

    @overload
    async def get(self, path: Literal["/health/ready"], /) -> HealthResponse: ...

    async def get(self, path: str, /, **asked: Any) -> Any:
        """A GET by path."""
        return await self._call("GET", path, None, asked)

    @overload
    async def post(
        self,
        path: Literal["/v1/uploads/import"],
        body: ImportBody,
        /,
    ) -> UploadResponse: ...

    @overload
    async def post(
        self,
        path: Literal["/v1/uploads/direct"],
        body: DirectUploadBody,
        /,
    ) -> DirectUploadResponse: ...

    @overload
    async def post(
        self,
        path: Literal["/v1/uploads/direct/{public_id}/complete"],
        body: CompletionBody,
        /,
        *,
        public_id: str,
    ) -> UploadResponse: ...

    @overload
    async def post(
        self,
        path: Literal["/v1/products"],
        body: CreateProductBody,
        /,
    ) -> ProductResponse: ...

    @overload
    async def post(
        self,
        path: Literal["/v1/compatibility/check"],
        body: CompatibilityCheckBody,
        /,
    ) -> CompatibilityCheckResponse: ...

    @overload
    async def post(
        self,
        path: Literal["/v1/jobs/{public_id}/cancel"],
        body: None = None,
        /,
        *,
        public_id: str,
    ) -> JobDetailResponse: ...

    @overload
    async def post(
        self,
        path: Literal["/v1/client-tokens"],
        body: CreateClientTokenBody,
        /,
    ) -> ClientTokenResponse: ...

    @overload
    async def post(
        self,
        path: Literal["/v1/bucket/test"],
        body: None = None,
        /,
    ) -> BucketTestResponse: ...

    @overload
    async def post(
        self,
        path: Literal["/v1/verify"],
        body: VerifyBody,
        /,
    ) -> VerificationResponse: ...

    @overload
    async def post(
        self,
        path: Literal["/v1/releases"],
        body: GrantReleaseBody,
        /,
    ) -> ReleaseResponse: ...

    @overload
    async def post(
        self,
        path: Literal["/v1/releases/{public_id}/revise"],
        body: ReleaseTermsBody,
        /,
        *,
        public_id: str,
    ) -> ReleaseResponse: ...

    @overload
    async def post(
        self,
        path: Literal["/v1/releases/{public_id}/withdraw"],
        body: WithdrawReleaseBody,
        /,
        *,
        public_id: str,
    ) -> ReleaseResponse: ...

    @overload
    async def post(
        self,
        path: Literal["/v1/webhooks"],
        body: CreateWebhookBody,
        /,
    ) -> WebhookWithSecretResponse: ...

    @overload
    async def post(
        self,
        path: Literal["/v1/webhooks/{public_id}/rotate-secret"],
        body: RotateWebhookSecretBody,
        /,
        *,
        public_id: str,
    ) -> WebhookWithSecretResponse: ...

    @overload
    async def post(
        self,
        path: Literal["/v1/webhooks/{public_id}/test"],
        body: None = None,
        /,
        *,
        public_id: str,
    ) -> RequestedTestResponse: ...

    @overload
    async def post(
        self,
        path: Literal["/v1/webhooks/{public_id}/resend"],
        body: ResendWebhookBody,
        /,
        *,
        public_id: str,
    ) -> RequestedResendResponse: ...

    async def post(self, path: str, body: Any = None, /, **asked: Any) -> Any:
        """A POST by path. Files in the body are uploaded."""
        return await self._call("POST", path, body, asked)

    @overload
    async def patch(
        self,
        path: Literal["/v1/products/{public_id}"],
        body: UpdateProductBody,
        /,
        *,
        public_id: str,
    ) -> ProductResponse: ...

    @overload
    async def patch(
        self,
        path: Literal["/v1/retention"],
        body: RetentionBody,
        /,
    ) -> RetentionResponse: ...

    @overload
    async def patch(
        self,
        path: Literal["/v1/release-rule"],
        body: ReleaseRuleBody,
        /,
    ) -> ReleaseRuleResponse: ...

    @overload
    async def patch(
        self,
        path: Literal["/v1/webhooks/{public_id}"],
        body: ReviseWebhookBody,
        /,
        *,
        public_id: str,
    ) -> WebhookResponse: ...

    async def patch(self, path: str, body: Any = None, /, **asked: Any) -> Any:
        """A PATCH by path. Files in the body are uploaded."""
        return await self._call("PATCH", path, body, asked)

    @overload
    async def delete(
        self,
        path: Literal["/v1/catalog/{resource}/{public_id}"],
        /,
        *,
        resource: CatalogResource,
        public_id: str,
    ) -> None: ...

    @overload
    async def delete(self, path: Literal["/v1/bucket"], /) -> None: ...

    @overload
    async def delete(
        self,
        path: Literal["/v1/webhooks/{public_id}"],
        /,
        *,
        public_id: str,
    ) -> None: ...

    async def delete(self, path: str, /, **asked: Any) -> Any:
        """A DELETE by path."""
        return await self._call("DELETE", path, None, asked)

    @overload
    def list(
        self,
        path: Literal["/v1/products"],
        /,
        *,
        status: ProductStatus = ...,
        external_ref: str = ...,
    ) -> AsyncIterator[ProductResponse]: ...

    @overload
    def list(
        self,
        path: Literal["/v1/catalog/{resource}"],
        /,
        *,
        resource: CatalogResource,
    ) -> AsyncIterator[CatalogEntryResponse]: ...

    @overload
    def list(
        self,
        path: Literal["/v1/garment-categories"],
        /,
    ) -> AsyncIterator[GarmentCategoryResponse]: ...

    @overload
    def list(
        self,
        path: Literal["/v1/jobs"],
        /,
        *,
        job_type: List[ListedJobType] = ...,
        status: JobStatus = ...,
        created_after: str = ...,
    ) -> AsyncIterator[JobSummaryResponse]: ...

    @overload
    def list(self, path: Literal["/v1/renders"], /) -> AsyncIterator[RenderResponse]: ...

    @overload
    def list(self, path: Literal["/v1/usage"], /) -> AsyncIterator[UsageRowResponse]: ...

    @overload
    def list(self, path: Literal["/v1/transactions"], /) -> AsyncIterator[LedgerEntryResponse]: ...

    @overload
    def list(self, path: Literal["/v1/keys"], /) -> AsyncIterator[KeyResponse]: ...

    @overload
    def list(
        self,
        path: Literal["/v1/usage/by-key"],
        /,
        *,
        since: str = ...,
        until: str = ...,
    ) -> AsyncIterator[KeySpendingResponse]: ...

    @overload
    def list(
        self,
        path: Literal["/v1/releases"],
        /,
        *,
        data_subject: str = ...,
        status: ReleaseStatus = ...,
    ) -> AsyncIterator[ReleaseResponse]: ...

    @overload
    def list(
        self,
        path: Literal["/v1/releases/{public_id}/uses"],
        /,
        *,
        public_id: str,
        since: str = ...,
        until: str = ...,
        format: str = ...,
    ) -> AsyncIterator[ReleaseUseResponse]: ...

    @overload
    def list(
        self,
        path: Literal["/v1/webhooks/{public_id}/deliveries"],
        /,
        *,
        public_id: str,
        status: DeliveryStatus = ...,
    ) -> AsyncIterator[DeliveryResponse]: ...

    def list(self, path: str, /, **asked: Any) -> AsyncIterator[Any]:
        """The rows of a list, newest first, page by page."""
        return self._list(path, asked)

    @abstractmethod
    async def _call(self, method: str, path: str, body: Any, asked: dict[str, Any]) -> Any: ...

    @abstractmethod
    def _list(self, path: str, asked: dict[str, Any]) -> AsyncIterator[Any]: ...

    @abstractmethod
    def _run(
        self, workflow: str, body: Any, key: str | None, headers: Mapping[str, str] | None
    ) -> AsyncRun: ...

    @abstractmethod
    async def _quote(self, workflow: str, body: Any) -> DryRunResponse: ...
