"""The forms of requests and answers. Made from openapi.json by `npm run generate`: changes by hand are lost."""

from __future__ import annotations

from typing import Any, Literal, TypedDict, Union

from .pictures import Picture

TrialItemCategory = Literal[
    "top",
    "bottom",
    "one_piece",
    "outerwear",
    "footwear",
    "bag",
    "headwear",
    "accessory",
]
"""Where on the body it goes."""
OutputFormat = Literal["png", "jpeg", "webp", "avif"]
"""The format of the final pictures. When absent, each is a PNG or a JPEG, as the image model
gives it. In `jpeg`, a transparent ground becomes white.
"""
Resolution = Literal["1K", "2K", "4K"]
"""How large the picture is: 1K is about a thousand pixels on its longer side."""
AspectRatio = Literal["1:1", "2:3", "3:2", "3:4", "4:3", "4:5", "5:4", "9:16", "16:9"]
"""Width to height."""
OnTechnicalFailure = Literal["refund", "retry"]
"""The action when rendering fails for a technical reason."""
OutputPreset = Literal["square", "portrait", "story", "landscape"]
"""The format of the picture: 1:1, 4:5, 9:16 or 16:9, unless aspect_ratio says otherwise."""
JobStatus = Literal["NOT_STARTED", "IN_PROGRESS", "SUCCESS", "FAILURE"]
ArtifactKind = Literal[
    "model_portrait",
    "model_full_body",
    "person",
    "background",
    "background_plate",
    "photography_recipe",
    "garment",
    "extracted_garment",
    "complementary_garment",
    "try_on_render",
    "look_render",
    "on_model_render",
    "catalog_image",
    "model_swap",
    "background_swap",
    "grouping",
    "croquis",
    "composition",
    "cloth_swatch",
    "garment_pattern",
    "region_map",
    "garment_cutout",
    "item_cutout",
    "subject_cutout",
    "figure",
    "dressed_figure",
    "dressed_layers",
    "placed_figure",
]
"""New ones may come. The meaning of each: /docs/guides/vocabulary#kinds-of-pictures"""
ArtifactRole = Literal["intermediate", "final"]
JobEventType = Literal["queued", "stage", "succeeded", "failed"]
StageName = Literal[
    "queued",
    "croquis",
    "composition",
    "cloth",
    "cut",
    "regions",
    "grouping",
    "garment_cutout",
    "garment_cutouts",
    "item_cutouts",
    "subject_cutout",
    "garment_kept",
    "figure",
    "figure_posed",
    "dressed",
    "clothes",
    "placed",
    "succeeded",
    "failed",
]
"""New ones may come. The meaning of each: /docs/guides/vocabulary#stages"""
PartFailureCode = Literal[
    "NO_GARMENT_FOUND",
    "NO_PERSON_FOUND",
    "NO_BACKGROUND_FOUND",
    "NO_SUBJECT_FOUND",
    "VISION_MODEL_REQUIRED",
    "TEST_OUTCOME",
    "ENGINE_BAD_INPUT",
    "ENGINE_POLICY",
    "ENGINE_NO_IMAGE",
    "ENGINE_REJECTED_INPUT",
    "ENGINE_CAPACITY",
    "ENGINE_OUTCOME_UNKNOWN",
    "ENGINE_MISCONFIGURED",
    "ATTEMPTS_EXHAUSTED",
    "ALL_PARTS_FAILED",
    "CANCELLED",
    "NEVER_QUEUED",
]
"""The reason. For a whole photograph: why its job failed."""
JobErrorCode = Literal[
    "ENGINE_REJECTED_INPUT",
    "ENGINE_POLICY",
    "ENGINE_NO_IMAGE",
    "ENGINE_CAPACITY",
    "ENGINE_OUTCOME_UNKNOWN",
    "ENGINE_MISCONFIGURED",
    "ATTEMPTS_EXHAUSTED",
    "ALL_PARTS_FAILED",
    "CANCELLED",
    "NEVER_QUEUED",
]
"""New ones may come. The meaning of each: /docs/guides/errors#why-a-job-failed"""
ErrorCode = Literal[
    "BAD_REQUEST",
    "UNAUTHENTICATED",
    "INSUFFICIENT_BALANCE",
    "DAILY_SPEND_CAP_EXCEEDED",
    "CAPABILITY_REQUIRED",
    "ACCOUNT_INACTIVE",
    "OPERATION_DISABLED",
    "RELEASE_REQUIRED",
    "RESOURCE_NOT_FOUND",
    "METHOD_NOT_ALLOWED",
    "REQUEST_TIMEOUT",
    "IDEMPOTENCY_KEY_IN_USE",
    "JOB_ALREADY_FINISHED",
    "LEGAL_HOLD",
    "PRICE_CHANGED",
    "RELEASE_ENDED",
    "CATALOG_ENTRY_RETIRED",
    "PICTURE_ERASED",
    "PICTURE_GONE",
    "PRODUCT_ERASED",
    "PAYLOAD_TOO_LARGE",
    "URI_TOO_LONG",
    "UNSUPPORTED_MEDIA_TYPE",
    "VALIDATION_ERROR",
    "IDEMPOTENCY_KEY_REUSED",
    "IMPORT_FAILED",
    "IMPORT_REFUSED",
    "RATE_LIMITED",
    "HEADERS_TOO_LARGE",
    "INTERNAL_ERROR",
    "LOG_MISMATCH",
    "SERVICE_UNAVAILABLE",
    "STORAGE_FULL",
]
"""New ones may come. The meaning of each: /docs/guides/errors#what-each-code-means"""
GenerationStage = Literal["portrait", "full_body"]
"""`portrait` casts a model from a profile. `full_body` carries an approved portrait into a
full-length figure: it needs model_spec_public_id or portrait_image_public_id, and accepts no
casting fields.
"""
Gender = Literal["MALE", "FEMALE"]
"""Casting."""
Ethnicity = Literal[
    "indian",
    "pakistani_bangladeshi",
    "sri_lankan_nepali",
    "east_asian",
    "southeast_asian",
    "middle_eastern",
    "central_asian",
    "north_african",
    "west_african",
    "east_african",
    "southern_african",
    "black_diaspora",
    "afro_caribbean",
    "northern_european",
    "southern_european",
    "eastern_european",
    "latin_american",
    "indigenous_american",
    "pacific_islander",
    "mixed_heritage",
]
"""Casting."""
Heritage = Literal[
    "himalayan_north",
    "punjabi_northwest",
    "gangetic_central",
    "western_coastal",
    "eastern_bengali",
    "south_indian",
]
"""Casting: a finer choice for ethnicity `indian`, and only with it."""
BodyType = Literal["slim", "athletic", "balanced", "fuller"]
"""Casting."""
AgeRange = Literal["18-22", "22-26", "26-30", "30-34", "34-40"]
"""Casting."""
TopologyPreset = Literal[
    "seamless_sweep",
    "shallow_wall",
    "rear_plane_room",
    "courtyard_veranda",
    "street_path",
    "textile_installation",
    "open_location",
    "custom",
]
"""A known preset, or `custom`."""
SubjectZonePreset = Literal[
    "near_rear_plane",
    "framed_between_sides",
    "shallow_patio",
    "receding_path",
    "central_open",
    "custom",
]
"""A known preset, or `custom`."""
GroundPreset = Literal["seamless", "stone_paving", "plaster_tile", "wood", "earth_grass", "custom"]
"""A known preset, or `custom`."""
LightPreset = Literal[
    "soft_frontal",
    "soft_side_daylight",
    "overcast",
    "warm_directional_sun",
    "quiet_low_key",
    "custom",
]
"""A known preset, or `custom`."""
BackgroundSetting = Literal["studio_set", "indoor_location", "outdoor_location"]
"""Where it is."""
PhotographicRegister = Literal["real_photo", "film_photo", "studio_set", "render"]
"""The kind of picture that it looks like."""
GarmentFit = Literal["slim", "regular", "loose"]
"""How closely it fits."""
Quality = Literal["medium", "high"]
"""For image models that support it. For others, it is dropped. With `sketch-1`, `high` is 2K."""
ProductStatus = Literal["active", "archived"]
ProductImageRole = Literal["primary", "gallery", "source_pdp"]
"""`primary` represents the product; `gallery` did so before; `source_pdp` is the page
photograph that the product was extracted from.
"""
PresetKind = Literal["model", "background", "shot"]
"""Which family of presets."""
CatalogResource = Literal["models", "backgrounds", "garments", "shots"]
GarmentSlot = Literal[
    "top",
    "bottom",
    "one_piece",
    "outerwear",
    "footwear",
    "bag",
    "headwear",
    "accessory",
]
"""Where it is worn."""
ListedJobType = Literal[
    "MODEL_GENERATOR",
    "BACKGROUND_GENERATOR",
    "COMPLEMENTARY_GARMENT_GENERATOR",
    "SHOT_REFERENCE_GENERATOR",
    "PRODUCT_TO_MODEL_DIRECT",
    "PDP_EXTRACTION",
    "BACKGROUND_SWAP_WITH_IMAGE",
    "BACKGROUND_SWAP_WITH_SPEC",
    "MODEL_SWAP_WITH_IMAGE",
    "TRY_ON",
    "PRODUCT_TO_MODEL_PHASED",
    "EXTRACT",
    "LOOK",
    "CATALOG_SHOT",
    "PDP_BATCH_EXTRACTION",
]
"""Repeatable. When absent, jobs of all types."""
UsageStatus = Literal["PENDING", "SUCCESS", "FAILED", "REFUNDED"]
LedgerKind = Literal["operation", "subscription", "pack", "correction"]
LedgerStatus = Literal["SUCCESS", "REFUNDED", "PENDING", "FAILED", "PURCHASED", "CORRECTED"]
OperationClass = Literal["generator", "compose", "edit", "extract"]
ClientTokenPurpose = Literal["upload", "job"]
"""`upload`: one `POST /v1/uploads`. `job`: `GET /v1/jobs/{job_id}` and its events."""
ErasureStatus = Literal["running", "completed"]
ErasureStepName = Literal["refused", "bytes", "rows", "keys", "vendors"]
"""`refused`: every read refuses the things. `bytes`: their objects are gone from the storage.
`rows`: answers and messages about them are emptied. `keys`: the keys of their words are
destroyed. `vendors`: the vendors that can are asked to delete what they got; absent if there
is none.
"""
KeyEnvironment = Literal["live", "test"]
KeyCapability = Literal["jobs:create", "jobs:read", "mcp:spend", "data:erase"]
"""What it may do."""
KeyStatus = Literal["active", "retiring", "retired", "revoked"]
"""`retiring`: it was rotated, and works until `retires_at`. `retired` and `revoked` do not
work.
"""
ReleaseStatus = Literal["active", "withdrawn", "expired"]
WebhookTopic = Literal[
    "job.succeeded",
    "job.failed",
    "job.stage",
    "batch.finished",
    "credits.low",
    "webhook.disabled",
    "picture.expiring",
]
DeliveryStatus = Literal["pending", "delivered", "failed"]
"""Only those."""
WebhookMessageType = Literal[
    "job.succeeded",
    "job.failed",
    "job.stage",
    "batch.finished",
    "credits.low",
    "webhook.disabled",
    "picture.expiring",
    "webhook.test",
]


class TrialItem(TypedDict):
    trial_image: Picture
    """The garment: an uploaded asset, or the job that made the picture."""
    trial_item_category: TrialItemCategory
    """Where on the body it goes."""


class _TryOnBodyRequired(TypedDict):
    user_image: Picture
    """The person: an uploaded asset, or the job that made the picture."""
    items: list[TrialItem]
    """The garments, which are all put on in one picture."""


class TryOnBody(_TryOnBodyRequired, total=False):
    data_subject: str | None
    """Your own name for the person whom it is about. All that is made from it belongs to the same
    person.
    """
    retain_days: int | None
    """The pictures are erased this many days after they are made, and the words of the job this
    many days after its end. It can only shorten what `GET /v1/retention` shows.
    """
    output_format: OutputFormat | None
    """The format of the final pictures. When absent, each is a PNG or a JPEG, as the image model
    gives it. In `jpeg`, a transparent ground becomes white.
    """
    max_bytes: int | None
    """The most bytes of each final picture, with its mark and its Content Credentials. Needs an
    `output_format` of `jpeg`, `webp` or `avif`. The quality is lowered as far as necessary, down
    to a bound; then the picture is made smaller. `meta.encoding` of the artifact says what was
    done.
    """
    image_model: str | None
    """The image model that draws: one that this installation has. A new installation has
    `sketch-1`.
    """
    eval_enabled: bool | None
    """Whether to evaluate the result."""
    resolution: Resolution | None
    """How large the picture is: 1K is about a thousand pixels on its longer side."""
    aspect_ratio: AspectRatio | None
    """Width to height."""
    seed: int | None
    """The same seed and body draw the same picture. Any 32 bits, signed or not. When absent, a seed
    is chosen at dispatch.
    """
    on_technical_failure: OnTechnicalFailure | None
    """The action when rendering fails for a technical reason. `refund` when absent."""
    display_name: str | None
    """A name for the result. When empty, a name is generated."""
    metadata: dict[str, Any] | None
    """Stored with the job, unchanged, for your own use. At most 8192 bytes as JSON."""
    pilot_brand: str | None
    """Stored with the job, unchanged."""
    output_preset: OutputPreset | None
    """The format of the picture: 1:1, 4:5, 9:16 or 16:9, unless aspect_ratio says otherwise."""


class JobSummaryResponse(TypedDict):
    public_id: str
    job_type: str
    """UPPER_SNAKE. An open set: new types may appear."""
    status: JobStatus
    created_at: str
    thumbnail_url: str | None
    """The thumbnail of a job that succeeded, at most 256 pixels wide: a short-lived presigned GET
    URL.
    """


ThumbnailUrlsResponse = TypedDict(
    "ThumbnailUrlsResponse",
    {
        "256": "str",
        "512": "str",
        "1024": "str",
    },
)


class ArtifactMeta(TypedDict, total=False):
    """Facts about the artifact. The kind decides which of these are present. New ones may come. The
    meaning of each: /docs/guides/vocabulary#what-meta-says
    """
    seed: int
    aspect_ratio: object
    resolution: object
    encoding: object
    provenance: object
    evaluation: object
    gender: object
    ethnicity: object
    heritage: object
    body_type: object
    age_range: object
    skin_tone: object
    hair: object
    eye_colour: object
    rendition: object
    measured: object
    person: object
    scene: object
    setting: object
    topology: object
    ground: object
    light: object
    palette: object
    anchors: object
    unknown_anchors: object
    supported_crops: object
    crops: object
    floor_line: object
    subject_height: object
    subject_x: object
    described_as: object
    background_image_public_id: object
    backdrop: object
    method: object
    reconstructed_share: object
    garment: object
    garment_category_public_id: object
    category_key: object
    category: object
    slot: object
    name: object
    colour: object
    primary_colour: object
    material: object
    pattern: object
    garment_class: object
    garment_classes: object
    dominant_colour: object
    dominant_colours: object
    coverage: object
    bounding_box: object
    area_share: object
    worn: object
    garments: object
    items: object
    layers: object
    regions: object
    subject: object
    subject_share: object
    crop: object
    placement: object
    camera: object
    camera_height: object
    angle: object
    pose: object
    styling: object
    framing: object
    axis: object
    member_indices: object
    evidence: object
    confidence: object
    source: object
    source_index: object
    person_groups: object
    location_groups: object
    automatic: object
    garment_image_asset_refs: object
    model_preset_id: object
    background_preset_id: object
    shot_preset_id: object
    product_title: object
    width: int
    """In pixels."""
    height: int
    """In pixels."""


class Artifact(TypedDict):
    image_url: str
    """Short-lived presigned GET URL."""
    thumbnails: ThumbnailUrlsResponse
    """The picture as WebP in smaller sizes, by their width: short-lived presigned GET URLs. Never
    enlarged.
    """
    kind: ArtifactKind
    """What it shows."""
    role: ArtifactRole
    label: str
    meta: ArtifactMeta
    """Facts about the artifact. The kind decides which of these are present. New ones may come. The
    meaning of each: /docs/guides/vocabulary#what-meta-says
    """
    s3_key: str
    """Storage key."""
    asset_id: str


class ErasedArtifact(TypedDict):
    asset_id: str
    kind: ArtifactKind
    role: ArtifactRole
    erased_at: str


class _JobResultRequired(TypedDict):
    artifacts: list[Artifact]


class JobResult(_JobResultRequired, total=False):
    erased: list[ErasedArtifact]
    """The pictures that were erased, which `artifacts` leaves out; absent if none was."""


class PartFailureResponse(TypedDict):
    arm: str
    """The part. In a batch, the photograph comes first: `photos[2].person` is a part of it,
    `photos[2]` is all of it.
    """
    code: PartFailureCode
    """The reason. For a whole photograph: why its job failed."""
    message: str


class JobError(TypedDict):
    code: JobErrorCode
    """Branch on it."""
    message: str


class JobEventExtra(TypedDict, total=False):
    operation: str
    """`queued`: the workflow."""
    job_type: str
    """`queued`."""
    credits_cost: int
    """`queued`: what was deducted."""
    engine: str
    """`succeeded`: what drew it."""
    model: str
    """`succeeded`: the model of the engine."""
    seed: int
    """`succeeded`."""
    duration_ms: int
    """`succeeded`: what drawing took."""
    failures: list[PartFailureResponse]
    """`succeeded`: the parts that gave nothing; absent where a job has no parts."""
    error: JobError
    """`failed`: why."""


class _JobEventResponseRequired(TypedDict):
    seq: int
    """Grows with each event of the job: the polling cursor."""
    event_type: JobEventType
    visibility: Literal["public"]
    stage: StageName
    """The stage's name. For other events: the event's type."""
    message: str
    artifacts: list[Artifact]
    extra: JobEventExtra
    created_at: str


class JobEventResponse(_JobEventResponseRequired, total=False):
    erased: list[ErasedArtifact]
    """The pictures that were erased, which `artifacts` leaves out; absent if none was."""


class _JobDetailResponseRequired(TypedDict):
    public_id: str
    job_type: str
    """UPPER_SNAKE. An open set: new types may appear."""
    status: JobStatus
    created_at: str
    thumbnail_url: str | None
    """The thumbnail of a job that succeeded, at most 256 pixels wide: a short-lived presigned GET
    URL.
    """
    credits_cost: int
    request_id: str
    parent_job_id: str | None
    """The batch that it is part of."""
    children: list[JobSummaryResponse]
    """The jobs of a batch."""
    result: JobResult | None
    """The result of a job that succeeded."""
    latest_event: JobEventResponse
    """The newest public event of its timeline. Its artifacts are empty where `result` has them."""
    started_at: str | None
    finished_at: str | None
    error: JobError | None
    """Why a job failed."""
    display_name: str
    """The name that was sent. If none was sent, a generated one."""
    seed: int | None
    """The seed that was sent, or else chosen at dispatch. It draws the same picture again. Null
    only with `X-Consistency: stale`, while the log cannot be read.
    """
    image_model: str | None
    """The image model that draws it, as it was chosen at dispatch."""
    metadata: dict[str, Any] | None
    """As it was sent."""
    pilot_brand: str | None
    """As it was sent."""
    request: dict[str, Any] | None
    """The body as it was accepted. Dispatched again with the same seed, it draws the same picture.
    Null only with `X-Consistency: stale`, while the log cannot be read.
    """


class JobDetailResponse(_JobDetailResponseRequired, total=False):
    data_subjects: list[str]
    """Your own names for the persons whom it is about. Absent where none is named, and in answers
    to a client token.
    """
    erased_at: str
    """When its words were erased: `request`, `display_name` and messages say so. Absent: they were
    not.
    """


class DryRunResponse(TypedDict):
    dry_run: Literal[True]
    """Nothing was charged, recorded or queued."""
    operation: str
    """The workflow."""
    credits_cost: int
    """Credits that the dispatch would cost. For a batch: for all its photographs."""
    balance: int
    """The current balance in credits."""
    sufficient: bool
    """Whether the balance covers the cost."""
    daily_cap_ok: bool
    """Whether the rest of today's spend cap covers the cost."""
    would_be_accepted: bool
    """Whether the dispatch would be accepted now."""


class WorkflowAcceptedResponse(TypedDict):
    request_id: str
    """The same as in the row of the usage log."""
    job_id: str
    """The job to poll."""
    status: JobStatus
    credits_cost: int
    """Credits that were deducted. They are refunded automatically if the job fails."""


class ErrorDescription(TypedDict):
    code: ErrorCode
    """Stable and machine-readable: branch on it."""
    message: str
    """For people; its wording may change."""
    request_id: str
    """The request, as in `X-Request-Id` and the usage log."""
    docs_url: str
    """The page of this service that says what to do about this code."""


class ErrorDetail(TypedDict):
    loc: list[str | int]
    """The path to the field. It starts with the part of the request."""
    msg: str
    """The problem with the field."""
    type: str
    """The kind of mistake."""


class _ErrorEnvelopeRequired(TypedDict):
    error: ErrorDescription


class ErrorEnvelope(_ErrorEnvelopeRequired, total=False):
    detail: list[ErrorDetail]
    """Each field that is wrong. Only with status 422."""


class ModelGeneratorBody(TypedDict, total=False):
    data_subject: str | None
    """Your own name for the person whom it is about. All that is made from it belongs to the same
    person.
    """
    retain_days: int | None
    """The pictures are erased this many days after they are made, and the words of the job this
    many days after its end. It can only shorten what `GET /v1/retention` shows.
    """
    output_format: OutputFormat | None
    """The format of the final pictures. When absent, each is a PNG or a JPEG, as the image model
    gives it. In `jpeg`, a transparent ground becomes white.
    """
    max_bytes: int | None
    """The most bytes of each final picture, with its mark and its Content Credentials. Needs an
    `output_format` of `jpeg`, `webp` or `avif`. The quality is lowered as far as necessary, down
    to a bound; then the picture is made smaller. `meta.encoding` of the artifact says what was
    done.
    """
    image_model: str | None
    """The image model that draws: one that this installation has. A new installation has
    `sketch-1`.
    """
    eval_enabled: bool | None
    """Whether to evaluate the result."""
    resolution: Resolution | None
    """How large the picture is: 1K is about a thousand pixels on its longer side."""
    aspect_ratio: AspectRatio | None
    """Width to height."""
    seed: int | None
    """The same seed and body draw the same picture. Any 32 bits, signed or not. When absent, a seed
    is chosen at dispatch.
    """
    on_technical_failure: OnTechnicalFailure | None
    """The action when rendering fails for a technical reason. `refund` when absent."""
    display_name: str | None
    """A name for the result. When empty, a name is generated."""
    metadata: dict[str, Any] | None
    """Stored with the job, unchanged, for your own use. At most 8192 bytes as JSON."""
    pilot_brand: str | None
    """Stored with the job, unchanged."""
    generation_stage: GenerationStage | None
    """`portrait` casts a model from a profile. `full_body` carries an approved portrait into a
    full-length figure: it needs model_spec_public_id or portrait_image_public_id, and accepts no
    casting fields. `portrait` when absent.
    """
    gender: Gender | None
    """Casting."""
    ethnicity: Ethnicity | None
    """Casting."""
    heritage: Heritage | None
    """Casting: a finer choice for ethnicity `indian`, and only with it."""
    body_type: BodyType | None
    """Casting."""
    age_range: AgeRange | None
    """Casting."""
    model_spec_public_id: str | None
    """The job of the portrait whose model spec to use."""
    portrait_image_public_id: Picture | None
    """The approved portrait: an uploaded asset, or the job that made it."""


class _TopologyChoiceRequired(TypedDict):
    preset: TopologyPreset
    """A known preset, or `custom`."""


class TopologyChoice(_TopologyChoiceRequired, total=False):
    custom_text: str | None
    """Your own words, if the preset is `custom`."""


class _SubjectZoneChoiceRequired(TypedDict):
    preset: SubjectZonePreset
    """A known preset, or `custom`."""


class SubjectZoneChoice(_SubjectZoneChoiceRequired, total=False):
    custom_text: str | None
    """Your own words, if the preset is `custom`."""


class _GroundChoiceRequired(TypedDict):
    preset: GroundPreset
    """A known preset, or `custom`."""


class GroundChoice(_GroundChoiceRequired, total=False):
    custom_text: str | None
    """Your own words, if the preset is `custom`."""


class _LightChoiceRequired(TypedDict):
    preset: LightPreset
    """A known preset, or `custom`."""


class LightChoice(_LightChoiceRequired, total=False):
    custom_text: str | None
    """Your own words, if the preset is `custom`."""


class _BackgroundAuthoringRequired(TypedDict):
    display_name: str
    """Its name."""
    setting: BackgroundSetting
    """Where it is."""
    photographic_register: PhotographicRegister
    """The kind of picture that it looks like."""
    topology: TopologyChoice
    """How the space is built."""
    subject_zone: SubjectZoneChoice
    """Where the subject will stand."""
    supported_crops: list[Literal["full", "three_quarter", "torso"]]
    """The crops that it has to work for."""
    ground: GroundChoice
    """The ground that the subject will stand on."""
    light: LightChoice
    """How it is lit."""
    palette: list[str]
    """Its colours, by name or as `#rrggbb`."""
    scene_anchors: list[str]
    """Things that make the place recognisable."""


class BackgroundAuthoring(_BackgroundAuthoringRequired, total=False):
    surface_character: str | None
    """The look of its surfaces."""


class BackgroundGeneratorBody(TypedDict, total=False):
    data_subject: str | None
    """Your own name for the person whom it is about. All that is made from it belongs to the same
    person.
    """
    retain_days: int | None
    """The pictures are erased this many days after they are made, and the words of the job this
    many days after its end. It can only shorten what `GET /v1/retention` shows.
    """
    output_format: OutputFormat | None
    """The format of the final pictures. When absent, each is a PNG or a JPEG, as the image model
    gives it. In `jpeg`, a transparent ground becomes white.
    """
    max_bytes: int | None
    """The most bytes of each final picture, with its mark and its Content Credentials. Needs an
    `output_format` of `jpeg`, `webp` or `avif`. The quality is lowered as far as necessary, down
    to a bound; then the picture is made smaller. `meta.encoding` of the artifact says what was
    done.
    """
    image_model: str | None
    """The image model that draws: one that this installation has. A new installation has
    `sketch-1`.
    """
    eval_enabled: bool | None
    """Whether to evaluate the result."""
    resolution: Resolution | None
    """How large the picture is: 1K is about a thousand pixels on its longer side."""
    aspect_ratio: AspectRatio | None
    """Width to height."""
    seed: int | None
    """The same seed and body draw the same picture. Any 32 bits, signed or not. When absent, a seed
    is chosen at dispatch.
    """
    on_technical_failure: OnTechnicalFailure | None
    """The action when rendering fails for a technical reason. `refund` when absent."""
    display_name: str | None
    """A name for the result. When empty, a name is generated."""
    metadata: dict[str, Any] | None
    """Stored with the job, unchanged, for your own use. At most 8192 bytes as JSON."""
    pilot_brand: str | None
    """Stored with the job, unchanged."""
    authoring: BackgroundAuthoring | None
    """The scene in the canonical form. Not together with scene_type, mood or dominant_colors."""
    background_public_id: str | None
    """One of your backgrounds, to draw a new version of it."""
    scene_type: str | None
    """The kind of scene."""
    mood: str | None
    """How it feels."""
    dominant_colors: list[str] | None
    """The main colours of the scene, by name or as `#rrggbb`."""


class _PresetOrCustomRequired(TypedDict):
    preset: str
    """A word for it, or `custom`."""


class PresetOrCustom(_PresetOrCustomRequired, total=False):
    custom_text: str | None
    """Your own words, if the preset is `custom`."""


class _GarmentAuthoringRequired(TypedDict):
    primary_colour: str
    """Its main colour, by name or as `#rrggbb`."""
    material: str
    """Its material."""


class GarmentAuthoring(_GarmentAuthoringRequired, total=False):
    pattern: str | None
    """Its pattern. `solid` when absent."""
    form: PresetOrCustom | None
    """Its cut."""
    length: PresetOrCustom | None
    """How long it is."""
    distinctive_details: list[PresetOrCustom] | None
    """Its special details: buttons, pockets, pleats."""
    creative_direction: str | None
    """Further wishes."""


class GarmentAttributes(TypedDict, total=False):
    colour: str | None
    """Its main colour, by name or as `#rrggbb`."""
    material: str | None
    """Its material."""
    pattern: str | None
    """Its pattern."""
    fit: GarmentFit | None
    """How closely it fits."""
    length: str | None
    """How long it is."""


class _ComplementaryGarmentGeneratorBodyRequired(TypedDict):
    garment_category_public_id: str
    """The kind of garment: a category from `GET /v1/garment-categories`."""


class ComplementaryGarmentGeneratorBody(_ComplementaryGarmentGeneratorBodyRequired, total=False):
    data_subject: str | None
    """Your own name for the person whom it is about. All that is made from it belongs to the same
    person.
    """
    retain_days: int | None
    """The pictures are erased this many days after they are made, and the words of the job this
    many days after its end. It can only shorten what `GET /v1/retention` shows.
    """
    output_format: OutputFormat | None
    """The format of the final pictures. When absent, each is a PNG or a JPEG, as the image model
    gives it. In `jpeg`, a transparent ground becomes white.
    """
    max_bytes: int | None
    """The most bytes of each final picture, with its mark and its Content Credentials. Needs an
    `output_format` of `jpeg`, `webp` or `avif`. The quality is lowered as far as necessary, down
    to a bound; then the picture is made smaller. `meta.encoding` of the artifact says what was
    done.
    """
    image_model: str | None
    """The image model that draws: one that this installation has. A new installation has
    `sketch-1`.
    """
    eval_enabled: bool | None
    """Whether to evaluate the result."""
    resolution: Resolution | None
    """How large the picture is: 1K is about a thousand pixels on its longer side."""
    aspect_ratio: AspectRatio | None
    """Width to height."""
    seed: int | None
    """The same seed and body draw the same picture. Any 32 bits, signed or not. When absent, a seed
    is chosen at dispatch.
    """
    on_technical_failure: OnTechnicalFailure | None
    """The action when rendering fails for a technical reason. `refund` when absent."""
    display_name: str | None
    """A name for the result. When empty, a name is generated."""
    metadata: dict[str, Any] | None
    """Stored with the job, unchanged, for your own use. At most 8192 bytes as JSON."""
    pilot_brand: str | None
    """Stored with the job, unchanged."""
    authoring: GarmentAuthoring | None
    """The garment in the canonical form. Not together with attributes or the flat fields."""
    attributes: GarmentAttributes | None
    """The garment in the form of version 2. Not together with authoring or the flat fields."""
    color: str | None
    """Flat form. Its main colour, by name or as `#rrggbb`."""
    material: str | None
    """Flat form. Its material."""
    pattern: str | None
    """Flat form. Its pattern."""
    fit: GarmentFit | None
    """Flat form. How closely it fits."""
    length: str | None
    """Flat form. How long it is."""


class ProductToModelDirectBody(TypedDict, total=False):
    data_subject: str | None
    """Your own name for the person whom it is about. All that is made from it belongs to the same
    person.
    """
    retain_days: int | None
    """The pictures are erased this many days after they are made, and the words of the job this
    many days after its end. It can only shorten what `GET /v1/retention` shows.
    """
    output_format: OutputFormat | None
    """The format of the final pictures. When absent, each is a PNG or a JPEG, as the image model
    gives it. In `jpeg`, a transparent ground becomes white.
    """
    max_bytes: int | None
    """The most bytes of each final picture, with its mark and its Content Credentials. Needs an
    `output_format` of `jpeg`, `webp` or `avif`. The quality is lowered as far as necessary, down
    to a bound; then the picture is made smaller. `meta.encoding` of the artifact says what was
    done.
    """
    image_model: str | None
    """The image model that draws: one that this installation has. A new installation has
    `sketch-1`.
    """
    eval_enabled: bool | None
    """Whether to evaluate the result."""
    resolution: Resolution | None
    """How large the picture is: 1K is about a thousand pixels on its longer side."""
    aspect_ratio: AspectRatio | None
    """Width to height."""
    seed: int | None
    """The same seed and body draw the same picture. Any 32 bits, signed or not. When absent, a seed
    is chosen at dispatch.
    """
    on_technical_failure: OnTechnicalFailure | None
    """The action when rendering fails for a technical reason. `refund` when absent."""
    display_name: str | None
    """A name for the result. When empty, a name is generated."""
    metadata: dict[str, Any] | None
    """Stored with the job, unchanged, for your own use. At most 8192 bytes as JSON."""
    pilot_brand: str | None
    """Stored with the job, unchanged."""
    product_image_s3_key: Picture | None
    """The garment: the `upload_key` of an upload. Exactly one of this and product_id."""
    product_id: str | None
    """The garment: a product of yours. Exactly one of this and product_image_s3_key."""
    model_image_public_id: Picture | None
    """The person: an uploaded asset, or the job that made the picture."""
    background_image_public_id: Picture | None
    """The scene: an uploaded asset, or the job that made the picture."""
    output_preset: OutputPreset | None
    """The format of the picture: 1:1, 4:5, 9:16 or 16:9, unless aspect_ratio says otherwise."""


class ProductToModelPhasedBody(TypedDict, total=False):
    data_subject: str | None
    """Your own name for the person whom it is about. All that is made from it belongs to the same
    person.
    """
    retain_days: int | None
    """The pictures are erased this many days after they are made, and the words of the job this
    many days after its end. It can only shorten what `GET /v1/retention` shows.
    """
    output_format: OutputFormat | None
    """The format of the final pictures. When absent, each is a PNG or a JPEG, as the image model
    gives it. In `jpeg`, a transparent ground becomes white.
    """
    max_bytes: int | None
    """The most bytes of each final picture, with its mark and its Content Credentials. Needs an
    `output_format` of `jpeg`, `webp` or `avif`. The quality is lowered as far as necessary, down
    to a bound; then the picture is made smaller. `meta.encoding` of the artifact says what was
    done.
    """
    image_model: str | None
    """The image model that draws: one that this installation has. A new installation has
    `sketch-1`.
    """
    eval_enabled: bool | None
    """Whether to evaluate the result."""
    resolution: Resolution | None
    """How large the picture is: 1K is about a thousand pixels on its longer side."""
    aspect_ratio: AspectRatio | None
    """Width to height."""
    seed: int | None
    """The same seed and body draw the same picture. Any 32 bits, signed or not. When absent, a seed
    is chosen at dispatch.
    """
    on_technical_failure: OnTechnicalFailure | None
    """The action when rendering fails for a technical reason. `refund` when absent."""
    display_name: str | None
    """A name for the result. When empty, a name is generated."""
    metadata: dict[str, Any] | None
    """Stored with the job, unchanged, for your own use. At most 8192 bytes as JSON."""
    pilot_brand: str | None
    """Stored with the job, unchanged."""
    product_image_s3_key: Picture | None
    """The garment: the `upload_key` of an upload. Exactly one of this and product_id."""
    product_id: str | None
    """The garment: a product of yours. Exactly one of this and product_image_s3_key."""
    model_image_public_id: Picture | None
    """The person: an uploaded asset, or the job that made the picture."""
    background_image_public_id: Picture | None
    """The scene: an uploaded asset, or the job that made the picture."""
    output_preset: OutputPreset | None
    """The format of the picture: 1:1, 4:5, 9:16 or 16:9, unless aspect_ratio says otherwise."""


class _BackgroundSwapWithImageBodyRequired(TypedDict):
    background_image_public_id: Picture
    """The new scene: an uploaded asset, a catalogue entry, or the job that made the picture."""


class BackgroundSwapWithImageBody(_BackgroundSwapWithImageBodyRequired, total=False):
    data_subject: str | None
    """Your own name for the person whom it is about. All that is made from it belongs to the same
    person.
    """
    retain_days: int | None
    """The pictures are erased this many days after they are made, and the words of the job this
    many days after its end. It can only shorten what `GET /v1/retention` shows.
    """
    output_format: OutputFormat | None
    """The format of the final pictures. When absent, each is a PNG or a JPEG, as the image model
    gives it. In `jpeg`, a transparent ground becomes white.
    """
    max_bytes: int | None
    """The most bytes of each final picture, with its mark and its Content Credentials. Needs an
    `output_format` of `jpeg`, `webp` or `avif`. The quality is lowered as far as necessary, down
    to a bound; then the picture is made smaller. `meta.encoding` of the artifact says what was
    done.
    """
    source_image_s3_key: Picture | None
    """The picture: the `upload_key` of an upload, or the `s3_key` of an artifact. Exactly one of
    this and source_render_public_id.
    """
    source_render_public_id: str | None
    """The picture: the job that made it. Exactly one of this and source_image_s3_key."""
    pilot_brand: str | None
    """Stored with the job, unchanged."""
    output_preset: OutputPreset | None
    """The format of the picture: 1:1, 4:5, 9:16 or 16:9; the source's own when absent."""


class BackgroundSwapWithSpecBody(TypedDict, total=False):
    data_subject: str | None
    """Your own name for the person whom it is about. All that is made from it belongs to the same
    person.
    """
    retain_days: int | None
    """The pictures are erased this many days after they are made, and the words of the job this
    many days after its end. It can only shorten what `GET /v1/retention` shows.
    """
    output_format: OutputFormat | None
    """The format of the final pictures. When absent, each is a PNG or a JPEG, as the image model
    gives it. In `jpeg`, a transparent ground becomes white.
    """
    max_bytes: int | None
    """The most bytes of each final picture, with its mark and its Content Credentials. Needs an
    `output_format` of `jpeg`, `webp` or `avif`. The quality is lowered as far as necessary, down
    to a bound; then the picture is made smaller. `meta.encoding` of the artifact says what was
    done.
    """
    source_image_s3_key: Picture | None
    """The picture: the `upload_key` of an upload, or the `s3_key` of an artifact. Exactly one of
    this and source_render_public_id.
    """
    source_render_public_id: str | None
    """The picture: the job that made it. Exactly one of this and source_image_s3_key."""
    pilot_brand: str | None
    """Stored with the job, unchanged."""
    scene_type: str | None
    """What the new scene is. At least one of this, mood and dominant_colors."""
    mood: str | None
    """How it feels."""
    dominant_colors: list[str] | None
    """The main colours of the scene, by name or as `#rrggbb`."""
    output_preset: OutputPreset | None
    """The format of the picture: 1:1, 4:5, 9:16 or 16:9; the source's own when absent."""


class _ModelSwapWithImageBodyRequired(TypedDict):
    model_image_public_id: Picture
    """The new person: an uploaded asset, a catalogue entry, or the job that made the picture."""
    output_preset: OutputPreset
    """The format of the picture: 1:1, 4:5, 9:16 or 16:9."""


class ModelSwapWithImageBody(_ModelSwapWithImageBodyRequired, total=False):
    data_subject: str | None
    """Your own name for the person whom it is about. All that is made from it belongs to the same
    person.
    """
    retain_days: int | None
    """The pictures are erased this many days after they are made, and the words of the job this
    many days after its end. It can only shorten what `GET /v1/retention` shows.
    """
    output_format: OutputFormat | None
    """The format of the final pictures. When absent, each is a PNG or a JPEG, as the image model
    gives it. In `jpeg`, a transparent ground becomes white.
    """
    max_bytes: int | None
    """The most bytes of each final picture, with its mark and its Content Credentials. Needs an
    `output_format` of `jpeg`, `webp` or `avif`. The quality is lowered as far as necessary, down
    to a bound; then the picture is made smaller. `meta.encoding` of the artifact says what was
    done.
    """
    source_image_s3_key: Picture | None
    """The picture: the `upload_key` of an upload, or the `s3_key` of an artifact. Exactly one of
    this and source_render_public_id.
    """
    source_render_public_id: str | None
    """The picture: the job that made it. Exactly one of this and source_image_s3_key."""
    pilot_brand: str | None
    """Stored with the job, unchanged."""


class ExtractionContext(TypedDict, total=False):
    max_items: int | None
    """How many garments to look for."""
    product_name: str | None
    """The name of the product."""
    product_description: str | None
    """The description of the product."""


class _ExtractBodyRequired(TypedDict):
    trial_image: Picture
    """The picture: the `upload_key` of an upload, or the `s3_key` of an artifact."""


class ExtractBody(_ExtractBodyRequired, total=False):
    data_subject: str | None
    """Your own name for the person whom it is about. All that is made from it belongs to the same
    person.
    """
    retain_days: int | None
    """The pictures are erased this many days after they are made, and the words of the job this
    many days after its end. It can only shorten what `GET /v1/retention` shows.
    """
    output_format: OutputFormat | None
    """The format of the final pictures. When absent, each is a PNG or a JPEG, as the image model
    gives it. In `jpeg`, a transparent ground becomes white.
    """
    max_bytes: int | None
    """The most bytes of each final picture, with its mark and its Content Credentials. Needs an
    `output_format` of `jpeg`, `webp` or `avif`. The quality is lowered as far as necessary, down
    to a bound; then the picture is made smaller. `meta.encoding` of the artifact says what was
    done.
    """
    runtime_config: dict[str, Any] | None
    """Settings of the engine, stored with the job. At most 8192 bytes as JSON."""
    extraction_context: ExtractionContext | None
    """Known facts about the picture."""


class _LookBodyRequired(TypedDict):
    model_image_public_id: Picture
    """The person: an uploaded asset, or the job that made the picture."""
    items: list[TrialItem]
    """The garments, which are all put on in one picture."""


class LookBody(_LookBodyRequired, total=False):
    data_subject: str | None
    """Your own name for the person whom it is about. All that is made from it belongs to the same
    person.
    """
    retain_days: int | None
    """The pictures are erased this many days after they are made, and the words of the job this
    many days after its end. It can only shorten what `GET /v1/retention` shows.
    """
    output_format: OutputFormat | None
    """The format of the final pictures. When absent, each is a PNG or a JPEG, as the image model
    gives it. In `jpeg`, a transparent ground becomes white.
    """
    max_bytes: int | None
    """The most bytes of each final picture, with its mark and its Content Credentials. Needs an
    `output_format` of `jpeg`, `webp` or `avif`. The quality is lowered as far as necessary, down
    to a bound; then the picture is made smaller. `meta.encoding` of the artifact says what was
    done.
    """
    image_model: str | None
    """The image model that draws: one that this installation has. A new installation has
    `sketch-1`.
    """
    eval_enabled: bool | None
    """Whether to evaluate the result."""
    resolution: Resolution | None
    """How large the picture is: 1K is about a thousand pixels on its longer side."""
    aspect_ratio: AspectRatio | None
    """Width to height."""
    seed: int | None
    """The same seed and body draw the same picture. Any 32 bits, signed or not. When absent, a seed
    is chosen at dispatch.
    """
    on_technical_failure: OnTechnicalFailure | None
    """The action when rendering fails for a technical reason. `refund` when absent."""
    display_name: str | None
    """A name for the result. When empty, a name is generated."""
    metadata: dict[str, Any] | None
    """Stored with the job, unchanged, for your own use. At most 8192 bytes as JSON."""
    pilot_brand: str | None
    """Stored with the job, unchanged."""
    background_image_public_id: Picture | None
    """The scene: an uploaded asset, or the job that made the picture."""
    output_preset: OutputPreset | None
    """The format of the picture: 1:1, 4:5, 9:16 or 16:9, unless aspect_ratio says otherwise."""


class _CatalogShotsBodyRequired(TypedDict):
    garment_image_asset_refs: list[Picture]
    """The garments: uploaded assets, catalogue entries, or jobs that made a picture. At most as
    many as the image model takes: 8 for `sketch-1`.
    """
    product_title: str
    """The name of the product."""
    model_preset_id: str
    """A preset of `GET /v1/presets?kind=model`."""
    background_preset_id: str
    """A preset of `GET /v1/presets?kind=background`."""
    shot_preset_id: str
    """A preset of `GET /v1/presets?kind=shot`."""


class CatalogShotsBody(_CatalogShotsBodyRequired, total=False):
    data_subject: str | None
    """Your own name for the person whom it is about. All that is made from it belongs to the same
    person.
    """
    retain_days: int | None
    """The pictures are erased this many days after they are made, and the words of the job this
    many days after its end. It can only shorten what `GET /v1/retention` shows.
    """
    output_format: OutputFormat | None
    """The format of the final pictures. When absent, each is a PNG or a JPEG, as the image model
    gives it. In `jpeg`, a transparent ground becomes white.
    """
    max_bytes: int | None
    """The most bytes of each final picture, with its mark and its Content Credentials. Needs an
    `output_format` of `jpeg`, `webp` or `avif`. The quality is lowered as far as necessary, down
    to a bound; then the picture is made smaller. `meta.encoding` of the artifact says what was
    done.
    """
    model: str | None
    """The image model that draws: one that this installation has. A new installation has
    `sketch-1`.
    """
    quality: Quality | None
    """For image models that support it. For others, it is dropped. With `sketch-1`, `high` is 2K."""


class _PdpExtractionsBodyRequired(TypedDict):
    pdp_image_public_id: Picture
    """The photograph: an uploaded asset."""


class PdpExtractionsBody(_PdpExtractionsBodyRequired, total=False):
    data_subject: str | None
    """Your own name for the person whom it is about. All that is made from it belongs to the same
    person.
    """
    retain_days: int | None
    """The pictures are erased this many days after they are made, and the words of the job this
    many days after its end. It can only shorten what `GET /v1/retention` shows.
    """
    output_format: OutputFormat | None
    """The format of the final pictures. When absent, each is a PNG or a JPEG, as the image model
    gives it. In `jpeg`, a transparent ground becomes white.
    """
    max_bytes: int | None
    """The most bytes of each final picture, with its mark and its Content Credentials. Needs an
    `output_format` of `jpeg`, `webp` or `avif`. The quality is lowered as far as necessary, down
    to a bound; then the picture is made smaller. `meta.encoding` of the artifact says what was
    done.
    """
    product_name: str | None
    """The name of the product."""


class _PdpPhotoRequired(TypedDict):
    pdp_image_public_id: Picture
    """The photograph: an uploaded asset."""


class PdpPhoto(_PdpPhotoRequired, total=False):
    data_subject: str | None
    """Your own name for the person whom it is about. All that is made from it belongs to the same
    person.
    """
    retain_days: int | None
    """The pictures are erased this many days after they are made, and the words of the job this
    many days after its end. It can only shorten what `GET /v1/retention` shows.
    """
    product_name: str | None
    """The name of the product."""


class _AxisGroupRequired(TypedDict):
    member_indices: list[int]
    """The photographs, as indices into `photos`, from 0."""


class AxisGroup(_AxisGroupRequired, total=False):
    confidence: float | None
    """How sure you are. `1` when absent."""
    evidence: str | None
    """Your reason; not interpreted."""


class PdpGrouping(TypedDict, total=False):
    person_groups: list[AxisGroup] | None
    """Photographs that share a model. `` when absent."""
    location_groups: list[AxisGroup] | None
    """Photographs that share a location. `` when absent."""


class _PdpBatchExtractionsBodyRequired(TypedDict):
    photos: list[PdpPhoto]
    """The photographs of one shoot. Each one is charged, and becomes a job of its own."""


class PdpBatchExtractionsBody(_PdpBatchExtractionsBodyRequired, total=False):
    data_subject: str | None
    """Your own name for the person whom it is about. All that is made from it belongs to the same
    person.
    """
    retain_days: int | None
    """The pictures are erased this many days after they are made, and the words of the job this
    many days after its end. It can only shorten what `GET /v1/retention` shows.
    """
    output_format: OutputFormat | None
    """The format of the final pictures. When absent, each is a PNG or a JPEG, as the image model
    gives it. In `jpeg`, a transparent ground becomes white.
    """
    max_bytes: int | None
    """The most bytes of each final picture, with its mark and its Content Credentials. Needs an
    `output_format` of `jpeg`, `webp` or `avif`. The quality is lowered as far as necessary, down
    to a bound; then the picture is made smaller. `meta.encoding` of the artifact says what was
    done.
    """
    grouping: PdpGrouping | None
    """The groups of photographs. They replace the automatic grouping and are not checked."""


class ArrivedCredentialsResponse(TypedDict):
    valid: bool
    """Whether the picture was what was signed. It does not say whether you should trust who signed."""
    problems: list[str]
    """What was wrong, as C2PA names it."""
    kept: bool
    """False: they have more than 1048576 bytes (1 MiB), so they were not kept."""


class _UploadResponseRequired(TypedDict):
    upload_key: str
    """Durable handle, for product_image_s3_key or source_image_s3_key of a dispatch."""
    image_url: str
    """Short-lived presigned preview URL. No dispatch accepts it."""
    thumbnails: ThumbnailUrlsResponse
    """The picture as WebP in smaller sizes, by their width: short-lived presigned GET URLs. Never
    enlarged.
    """
    asset_id: str
    """Durable id, for every field that takes an asset."""
    credentials: ArrivedCredentialsResponse | None
    """The Content Credentials (C2PA) that the picture arrived with. Pictures made from it take them
    in. Null: it had none.
    """


class UploadResponse(_UploadResponseRequired, total=False):
    data_subjects: list[str]
    """Your own names for the persons whom it is about. Absent where none is named, and in answers
    to a client token.
    """
    already_there: bool
    """Whether this upload was there before the request. Only in answers to requests with `reuse`."""


class BatchUploadItem(TypedDict):
    file_name: str | None
    """The name that you gave the file."""
    upload: UploadResponse | None
    """The upload; null if this file was refused."""
    error: ErrorDescription | None
    """Why this file was refused, and what to do; null if it was not."""


class BatchUploadResponse(TypedDict):
    items: list[BatchUploadItem]
    """One for each file, in the order of the files."""


class _ImportBodyRequired(TypedDict):
    url: str
    """An `https://` URL on the internet that answers with the picture itself. Redirects are not
    followed.
    """


class ImportBody(_ImportBodyRequired, total=False):
    data_subject: str | None
    """Your own name for the person whom it shows. All that is made from it belongs to the same
    person.
    """
    retain_days: int | None
    """The picture is erased this many days later. It can only shorten what `GET /v1/retention`
    shows.
    """
    reuse: bool | None
    """True: if you have uploaded the same picture before, with the same credentials and person, you
    get that upload, and `already_there` tells so. An upload that is erased soon, or that has
    `retain_days`, is never given again, and a client token always makes a new one.
    """


class _ListedUploadResponseRequired(TypedDict):
    asset_id: str
    """Durable id, for every field that takes an asset."""
    upload_key: str
    """Durable handle, for product_image_s3_key or source_image_s3_key of a dispatch."""
    image_url: str
    """Short-lived presigned URL. No dispatch accepts it."""
    thumbnails: ThumbnailUrlsResponse
    """The picture as WebP in smaller sizes, by their width: short-lived presigned GET URLs. Never
    enlarged.
    """
    content_type: str
    width: int
    """In pixels."""
    height: int
    """In pixels."""
    size_bytes: int
    """As it is kept."""
    created_at: str
    retain_days: int | None
    """The `retain_days` that it was uploaded with. `GET /v1/retention` may show fewer; the fewer
    count. Null: none.
    """


class ListedUploadResponse(_ListedUploadResponseRequired, total=False):
    data_subjects: list[str]
    """Your own names for the persons whom it is about. Absent where none is named, and in answers
    to a client token.
    """


class UploadListResponse(TypedDict):
    items: list[ListedUploadResponse]
    total: int
    """Uploads in all."""
    limit: int
    offset: int


class DirectUploadBody(TypedDict):
    content_type: Literal["image/jpeg", "image/png", "image/webp"]
    """The type of the file. The form accepts no other."""


class DirectUploadResponse(TypedDict):
    asset_id: str
    """The id of the upload once it is complete."""
    url: str
    """Where to send the form. It is the object storage, which wants no API key."""
    fields: dict[str, Any]
    """The fields of the form, all of them unchanged. The field `file` comes after them."""
    expires_at: str
    """The storage accepts the form until then."""
    complete_url: str
    """What to call, with your API key, when the file is there."""


class CompletionBody(TypedDict, total=False):
    data_subject: str | None
    """Your own name for the person whom it shows. All that is made from it belongs to the same
    person.
    """
    retain_days: int | None
    """The picture is erased this many days later. It can only shorten what `GET /v1/retention`
    shows.
    """
    reuse: bool | None
    """True: if you have uploaded the same picture before, with the same credentials and person, you
    get that upload, and `already_there` tells so. An upload that is erased soon, or that has
    `retain_days`, is never given again, and a client token always makes a new one.
    """


class _CreateProductBodyRequired(TypedDict):
    upload_asset_public_id: Picture
    """The picture of the garment: an `asset_id` of yours."""
    title: str
    """What it is called."""


class CreateProductBody(_CreateProductBodyRequired, total=False):
    external_ref: str | None
    """Your own name for it. Posting the same one again updates that product."""
    description: str | None
    """For people."""
    garment_category_public_id: str | None
    """Of `GET /v1/garment-categories`."""
    data_subject: str | None
    """Your own name for the person whom it is about. All that is made from it belongs to the same
    person.
    """


class ProductCategoryResponse(TypedDict):
    public_id: str
    key: str
    """Canonical taxonomy key."""
    display_label: str


class ProductImageResponse(TypedDict):
    asset_public_id: str
    role: ProductImageRole
    """`primary` represents the product; `gallery` did so before; `source_pdp` is the page
    photograph that the product was extracted from.
    """
    position: int
    """From 0."""
    image_url: str
    """Short-lived presigned GET URL. No dispatch accepts it."""
    thumbnails: ThumbnailUrlsResponse
    """The picture as WebP in smaller sizes, by their width: short-lived presigned GET URLs. Never
    enlarged.
    """


class ErasedProductImage(TypedDict):
    asset_public_id: str
    role: ProductImageRole
    erased_at: str


class _ProductResponseRequired(TypedDict):
    public_id: str
    title: str
    status: ProductStatus
    images: list[ProductImageResponse]
    """The primary one first."""
    created_at: str


class ProductResponse(_ProductResponseRequired, total=False):
    external_ref: str
    category: ProductCategoryResponse
    """Absent when none was given."""
    description: str
    primary_image_url: str
    """URL of the primary image; short-lived."""
    source_pdp_image_url: str
    """URL of the source image, if there is one; short-lived."""
    data_subjects: list[str]
    """Your own names for the persons whom it is about. Absent where none is named, and in answers
    to a client token.
    """
    erased_images: list[ErasedProductImage]
    """The pictures that were erased; absent if none was."""


class ProductListResponse(TypedDict):
    items: list[ProductResponse]
    total: int
    """Number of products that match."""
    limit: int
    offset: int


class UpdateProductBody(TypedDict, total=False):
    upload_asset_public_id: Picture | None
    """A new primary picture; the previous one moves into the gallery."""
    title: str | None
    """What it is called."""
    description: str | None
    """For people."""
    garment_category_public_id: str | None
    """Of `GET /v1/garment-categories`."""
    data_subject: str | None
    """Your own name for the person whom it is about. All that is made from it belongs to the same
    person.
    """
    status: ProductStatus | None
    """No dispatch can refer to an archived product. `active` brings it back."""
    clear: list[Literal["description", "garment_category_public_id", "data_subject"]] | None
    """Fields to clear."""


class PresetTileResponse(TypedDict):
    id: str
    """The id that a catalog shot refers to."""
    image_url: str
    """Short-lived presigned URL of the preview."""
    label: str


class CatalogEntryResponseAttributes(TypedDict, total=False):
    """Facts about the entry: the `meta` of the job's artifact. The kind decides which of these are
    present. New ones may come. The meaning of each: /docs/guides/vocabulary#what-meta-says
    """
    seed: int
    aspect_ratio: object
    resolution: object
    encoding: object
    provenance: object
    evaluation: object
    gender: object
    ethnicity: object
    heritage: object
    body_type: object
    age_range: object
    skin_tone: object
    hair: object
    eye_colour: object
    rendition: object
    measured: object
    person: object
    scene: object
    setting: object
    topology: object
    ground: object
    light: object
    palette: object
    anchors: object
    unknown_anchors: object
    supported_crops: object
    crops: object
    floor_line: object
    subject_height: object
    subject_x: object
    described_as: object
    background_image_public_id: object
    backdrop: object
    method: object
    reconstructed_share: object
    garment: object
    garment_category_public_id: object
    category_key: object
    category: object
    slot: object
    name: object
    colour: object
    primary_colour: object
    material: object
    pattern: object
    garment_class: object
    garment_classes: object
    dominant_colour: object
    dominant_colours: object
    coverage: object
    bounding_box: object
    area_share: object
    worn: object
    garments: object
    items: object
    layers: object
    regions: object
    subject: object
    subject_share: object
    crop: object
    placement: object
    camera: object
    camera_height: object
    angle: object
    pose: object
    styling: object
    framing: object
    axis: object
    member_indices: object
    evidence: object
    confidence: object
    source: object
    source_index: object
    person_groups: object
    location_groups: object
    automatic: object
    garment_image_asset_refs: object
    model_preset_id: object
    background_preset_id: object
    shot_preset_id: object
    product_title: object
    width: int
    """In pixels."""
    height: int
    """In pixels."""


class CatalogEntryResponse(TypedDict):
    public_id: str
    """The id of the entry and of its picture: an asset id, which every field for a picture accepts."""
    kind: ArtifactKind
    """What it shows."""
    label: str
    image_url: str
    """Short-lived presigned GET URL."""
    thumbnails: ThumbnailUrlsResponse
    """The picture as WebP in smaller sizes, by their width: short-lived presigned GET URLs. Never
    enlarged.
    """
    width: int
    """In pixels."""
    height: int
    """In pixels."""
    attributes: CatalogEntryResponseAttributes
    """Facts about the entry: the `meta` of the job's artifact. The kind decides which of these are
    present. New ones may come. The meaning of each: /docs/guides/vocabulary#what-meta-says
    """
    job_id: str
    """The job that made it."""
    created_at: str


class CatalogListResponse(TypedDict):
    items: list[CatalogEntryResponse]
    total: int
    """Entries in all."""
    limit: int
    offset: int


class GarmentCategoryResponse(TypedDict):
    public_id: str
    key: str
    """Canonical taxonomy key."""
    display_label: str
    slot: GarmentSlot
    """Where it is worn."""


class GarmentCategoryListResponse(TypedDict):
    items: list[GarmentCategoryResponse]
    total: int
    """Categories in all."""
    limit: int
    offset: int


class CompatibilityReasonResponse(TypedDict):
    code: str
    """Stable and machine-readable."""
    message: str


class CompatibilityVerdictResponse(TypedDict):
    public_id: str
    """The id of the candidate, as sent."""
    compatible: bool
    """Whether it may appear with the product."""
    reasons: list[CompatibilityReasonResponse]
    """Empty when it is compatible."""


class CompatibilityCheckResponse(TypedDict):
    product_garment_category_public_id: str
    results: list[CompatibilityVerdictResponse]
    """One for each candidate, in the order of the request."""


class CompatibilityCheckBody(TypedDict):
    product_garment_category_public_id: str
    """The product's garment category, from `GET /v1/garment-categories`. An unknown category gives
    404.
    """
    candidate_complementary_image_public_ids: list[str]
    """Garments from `GET /v1/catalog/garments`. An id that is not among them gets the verdict
    `catalog_ref_missing`.
    """


class JobListResponse(TypedDict):
    jobs: list[JobSummaryResponse]
    limit: int
    offset: int
    count: int
    """Jobs on this page."""
    total: int
    """Number of jobs that match."""
    next_cursor: str | None
    """Pass it as `cursor` for the next page. Null when this page is not full, because there are no
    more jobs.
    """


class JobEventsResponse(TypedDict):
    public_id: str
    events: list[JobEventResponse]
    """Ascending by seq."""
    latest_seq: int
    """Pass it as `since` next time."""


class RenderResponse(TypedDict):
    public_id: str
    """The job that made it."""
    job_type: str
    image_url: str
    """Short-lived presigned GET URL."""
    thumbnails: ThumbnailUrlsResponse
    """The picture as WebP in smaller sizes, by their width: short-lived presigned GET URLs. Never
    enlarged.
    """
    width: int
    """In pixels."""
    height: int
    """In pixels."""
    kind: ArtifactKind
    label: str
    created_at: str


class RenderListResponse(TypedDict):
    items: list[RenderResponse]
    total: int
    """Renders in all."""
    limit: int
    offset: int


class CreditsResponse(TypedDict):
    client_id: str
    balance: int
    """Credits left."""
    plan: str
    daily_spend_today: int
    """Credits spent in the current window of 24 hours."""
    daily_spend_resets_at: str | None
    """When that window ends and `daily_spend_today` returns to 0. Null when no window is open."""
    daily_spend_cap_credits: int
    """0: unlimited."""
    monthly_credit_quota: int
    """Soft quota. 0: pay as you go."""
    rate_limit_per_min: int
    """Requests per minute for one key."""
    is_active: bool


class _UsageRowResponseRequired(TypedDict):
    request_id: str
    endpoint: str
    """The path as this reference writes it, for example `/v1/jobs/{public_id}/cancel`."""
    method: str
    status: UsageStatus
    credits_charged: int
    credits_refunded: int


class UsageRowResponse(_UsageRowResponseRequired, total=False):
    http_status: int
    job_id: str
    created_at: str
    submitted_at: str
    """When the job was queued."""
    resolved_at: str
    """When the charge was settled or refunded. For a call without a charge: when it was answered."""
    latency_ms: int
    """From created to resolved. Not measured for a write that costs nothing."""
    error_code: ErrorCode
    error_message: str


class UsageListResponse(TypedDict):
    items: list[UsageRowResponse]
    total: int
    """Rows in all."""
    limit: int
    offset: int


class LedgerEntryResponse(TypedDict):
    id: str
    kind: LedgerKind
    label: str
    """The endpoint, or what was bought."""
    credits_delta: int
    """Negative: spent, net of refunds. Positive: bought."""
    status: LedgerStatus
    created_at: str


class LedgerResponse(TypedDict):
    items: list[LedgerEntryResponse]
    """Newest first. All deltas sum to the balance."""
    total: int
    """Entries in all."""
    limit: int
    offset: int


class OperationResponse(TypedDict):
    name: str
    """The name in `POST /v1/{name}`."""
    op_class: OperationClass
    credits_cost: int
    """Flat price of a dispatch; for `pdp-batch-extractions`, of each photograph."""
    enabled: bool
    """False: a dispatch is refused with OPERATION_DISABLED."""


class OperationListResponse(TypedDict):
    operations: list[OperationResponse]


class ImageModelResponse(TypedDict):
    id: str
    """The id to send as `image_model` or `model`."""
    workflows: list[str]
    """The workflows that it supports."""
    usual_for: list[str]
    """The workflows that it draws for you when the body names no model."""
    max_inputs: int
    """The most pictures that it takes in one request."""
    resolutions: list[str]
    """Values of `resolution`."""
    aspect_ratios: list[str] | None
    """Values of `aspect_ratio`; null: all of them."""
    quality: bool
    """Whether it supports `quality`. If not, `quality` is dropped."""
    seed: bool
    """Whether it takes a `seed`. If not, a `seed` is refused."""


class ImageModelListResponse(TypedDict):
    image_models: list[ImageModelResponse]


class _CreateClientTokenBodyRequired(TypedDict):
    purpose: ClientTokenPurpose
    """`upload`: one `POST /v1/uploads`. `job`: `GET /v1/jobs/{job_id}` and its events."""


class CreateClientTokenBody(_CreateClientTokenBodyRequired, total=False):
    job_id: str | None
    """With purpose `job`: the job, which must be one of yours."""
    expires_in: int | None
    """Seconds until the token ends. `600` when absent."""


class _ClientTokenResponseRequired(TypedDict):
    token: str
    """Send it in place of a key: `Authorization: Bearer …`."""
    purpose: ClientTokenPurpose
    expires_at: str


class ClientTokenResponse(_ClientTokenResponseRequired, total=False):
    job_id: str
    """With purpose `job`."""


class _ConnectBucketBodyRequired(TypedDict):
    endpoint: str
    """The server with the S3 API: an `https://` address on the internet, without the bucket."""
    region: str
    """Its region, under which requests are signed."""
    bucket: str
    """Your bucket, which exists."""
    access_key_id: str
    """The id of a key that may write and delete objects there."""
    secret_access_key: str
    """Its secret half. It is stored encrypted, and never shown again."""


class ConnectBucketBody(_ConnectBucketBodyRequired, total=False):
    prefix: str | None
    """Before each key. A folder ends with a slash."""
    force_path_style: bool | None
    """Whether the bucket is in the path of its address, as MinIO needs it. Otherwise it is in the
    host name. `false` when absent.
    """


class LastPush(TypedDict):
    job_id: str
    at: str


class LastPushError(TypedDict):
    job_id: str
    at: str
    error: str
    """What the bucket said, or why it was not asked."""


class PushesResponse(TypedDict):
    waiting: int
    """Jobs whose pictures are on their way, or wait for the next attempt."""
    failed: int
    """Jobs that are not tried any more. PUT the settings again to push them."""
    last_success: LastPush | None
    """Of the last 30 days."""
    last_error: LastPushError | None
    """Of the jobs that wait or have failed."""


class BucketResponse(TypedDict):
    endpoint: str
    region: str
    bucket: str
    prefix: str
    access_key_id: str
    force_path_style: bool
    connected_at: str
    """Jobs that end from then on are pushed."""
    changed_at: str
    """When its settings were last stated."""
    pushes: PushesResponse


class BucketTestResponse(TypedDict):
    works: bool
    """Whether a small object was written and deleted."""
    status_code: int | None
    """The HTTP status of the refusal; null without one."""
    error: str | None
    """What the bucket said, or why it was not asked."""


class _ErasureEstimateResponseRequired(TypedDict):
    pictures: int
    jobs: int
    """Jobs whose words are erased. Their charges stay."""
    products: int
    records: int
    """Records about a person, such as model releases."""
    dry_run: Literal[True]
    unfinished_jobs: int
    """Jobs that have not ended: they are cancelled and refunded."""


class ErasureEstimateResponse(_ErasureEstimateResponseRequired, total=False):
    more: Literal[True]
    """Only of a person: more belongs to them than one erasure takes. Send the request again once
    this one is completed.
    """


class _RequestedErasureResponseRequired(TypedDict):
    erasure_id: str
    status: ErasureStatus


class RequestedErasureResponse(_RequestedErasureResponseRequired, total=False):
    more: Literal[True]
    """Only of a person: more belongs to them than one erasure takes. Send the request again once
    this one is completed.
    """


class ErasureTargetResponse(TypedDict):
    kind: str
    """`upload`, `render`, `job`, `product`, or a record about a person, such as `release`.
    Retention also erases a `picture` of a job, and its `words` alone.
    """
    id: str


class ErasureStepResponse(TypedDict):
    step: ErasureStepName
    """`refused`: every read refuses the things. `bytes`: their objects are gone from the storage.
    `rows`: answers and messages about them are emptied. `keys`: the keys of their words are
    destroyed. `vendors`: the vendors that can are asked to delete what they got; absent if there
    is none.
    """
    counts: dict[str, Any]
    done_at: str


class VendorsResponse(TypedDict):
    deleted: int
    """Calls that the vendor has deleted, or no longer had."""
    refused: int
    """Calls that the vendor would not delete."""
    answered_at: str


class _ErasureResponseRequired(TypedDict):
    erasure_id: str
    status: ErasureStatus
    targets: list[ErasureTargetResponse]
    derived: bool
    requested_at: str
    steps: list[ErasureStepResponse]
    """The steps that are done, in their order."""


class ErasureResponse(_ErasureResponseRequired, total=False):
    completed_at: str
    vendors: VendorsResponse
    """The answers of image vendors that were asked to delete. Absent: none yet, or none was asked."""


class ErasedThingsResponse(TypedDict):
    pictures: list[str]
    jobs: list[str]
    products: list[str]
    records: list[str]
    """Records about a person, such as model releases."""


class RemainsResponse(TypedDict):
    where: str
    until: str | None
    """Null: the service does not know."""


class ReceiptResponse(TypedDict):
    format: Literal["atelier erasure receipt 1"]
    erasure_id: str
    environment: Literal["live", "test"]
    tenant: str
    requested_at: str
    completed_at: str
    by: str
    """Who ordered it: a key, an operator, or `retention`: its time was over."""
    targets: list[ErasureTargetResponse]
    derived: bool
    again: bool
    """The log was restored from before this erasure, which was then done again."""
    erased: ErasedThingsResponse
    """The ids of what was erased."""
    counts: dict[str, Any]
    remains: list[RemainsResponse]
    """Where the data may still be, and until when."""
    key: str | None
    """The public key, as `atelier seal key` prints it. Null: the service has no key."""
    signature: str | None
    """Ed25519, checked by `atelier erasures verify`. Null: the service has no key."""


class KindRetentionResponse(TypedDict):
    days: int | None
    """What applies. Null: it is kept without limit."""
    own: int | None
    """Your own. Null: the default applies."""
    default: int | None
    """The operator's default. Null: without limit."""
    maximum: int | None
    """The operator's maximum. It applies in any case. Null: none."""


class RetentionResponse(TypedDict):
    uploads: KindRetentionResponse
    """Uploaded pictures, from their upload on."""
    intermediates: KindRetentionResponse
    """Pictures on the way to a result, from when they were stored."""
    finals: KindRetentionResponse
    """Finished pictures, from when they were stored."""
    words: KindRetentionResponse
    """The words of a job, with the body of its request, from its end on; title and description of a
    product from its last change on.
    """


class RetentionBody(TypedDict, total=False):
    uploads: int | None
    """After how many days an uploaded picture is erased. At most the operator's maximum."""
    intermediates: int | None
    """After how many days a picture on the way to a result is erased. At most the operator's
    maximum.
    """
    finals: int | None
    """After how many days a finished picture is erased. At most the operator's maximum."""
    words: int | None
    """After how many days the words of a job, with the body of its request, and those of a product
    are erased. At most the operator's maximum.
    """
    clear: list[Literal["uploads", "intermediates", "finals", "words"]] | None
    """Kinds that follow the operator's default again."""


class KeyResponse(TypedDict):
    key_id: str
    prefix: str
    """How the key begins. The rest of it is shown once, when it is made, and not stored."""
    label: str
    """What it is for, as its maker wrote. May be empty."""
    environment: KeyEnvironment
    capabilities: list[KeyCapability]
    """What it may do."""
    status: KeyStatus
    """`retiring`: it was rotated, and works until `retires_at`. `retired` and `revoked` do not
    work.
    """
    is_current: bool
    """Whether this request was made with it."""
    issued_at: str
    retires_at: str | None
    """When a rotated key stops working, or stopped."""
    revoked_at: str | None


class KeyListResponse(TypedDict):
    items: list[KeyResponse]
    total: int
    """Keys in all."""
    limit: int
    offset: int


class KeySpendingResponse(TypedDict):
    key_id: str | None
    """Null: the requests whose key is unknown."""
    label: str | None
    """Of the key, if it is known."""
    charges: int
    """How often it was charged."""
    credits_charged: int
    """In credits."""
    credits_refunded: int
    """In credits: what came back of these charges since."""
    credits_spent: int
    """In credits: charged less refunded."""
    last_charged_at: str
    """Its last charge in the period."""


class KeySpendingListResponse(TypedDict):
    items: list[KeySpendingResponse]
    total: int
    """Keys with charges."""
    limit: int
    offset: int
    since: str
    until: str


class VerifyBody(TypedDict):
    sha256: str
    """SHA-256 of the picture."""


class ErasedInputResponse(TypedDict):
    name: str
    erased_at: str
    """When it was erased for good."""


class OriginResponse(TypedDict):
    ordered_by: Literal["you", "another"]
    """Whether your account ordered it, or another one."""
    environment: Literal["live", "test"]
    job_id: str
    workflow: str
    engine: str | None
    """Null: the job has not ended, or has failed."""
    model: str | None
    created_at: str
    """When it was stored."""
    erased_inputs: list[ErasedInputResponse] | None
    """The inputs of the job that were erased since. Null: another account ordered it."""
    release_in_force: bool | None
    """Whether a release of each person in it covers this workflow now. Null: the job names no
    person, or another account ordered it.
    """


class SignerResponse(TypedDict):
    subject: str
    """The subject of the certificate that signed."""
    fingerprint: str
    """SHA-256 of that certificate, in hex."""
    expires_at: str
    """When that certificate expires."""
    expired: bool
    """Whether that certificate was out of its time: at the time of the time-stamp if that is
    trusted, otherwise now.
    """


class TimeStampResponse(TypedDict):
    status: Literal["timeStamp.trusted", "timeStamp.untrusted", "timeStamp.mismatch", "timeStamp.outsideValidity", "timeStamp.malformed"]
    """As C2PA names it. `timeStamp.trusted`: an authority that the operator of this service trusts
    confirms the time. `timeStamp.untrusted`: it is whole, but its authority is not trusted here.
    With any other status it confirms nothing.
    """
    time: str | None
    """The time in it. Null: it cannot be read."""
    authority: str | None
    """The subject of the certificate that signed it. Null: none in it did."""


class ActionResponse(TypedDict):
    action: str
    digital_source_type: str | None


class IngredientResponse(TypedDict):
    title: str | None
    relationship: str | None
    has_credentials: bool
    """Whether it brought Content Credentials of its own."""


class CredentialsResponse(TypedDict):
    valid: bool
    """Whether the picture is what was signed. It does not say whether you should trust who signed:
    see `signed_by`.
    """
    problems: list[Literal["claim.malformed", "claimSignature.mismatch", "assertion.hashedURI.mismatch", "assertion.missing", "assertion.dataHash.mismatch", "assertion.bmffHash.mismatch", "claim.hardBindings.missing", "ingredient.manifest.missing", "ingredient.manifest.mismatch", "general.error"]]
    """What is wrong, as C2PA names it."""
    signed_by: SignerResponse | None
    """Null: it cannot be read."""
    time_stamp: TimeStampResponse | None
    """The time-stamp of the signature (RFC 3161). Null: it has none."""
    generator: str | None
    """The program that made the claim."""
    actions: list[ActionResponse]
    ingredients: list[IngredientResponse]


class VerificationResponse(TypedDict):
    verdict: Literal["unchanged", "changed", "similar", "unknown"]
    """`unchanged`: this service made it, and its bytes are those that were stored. `changed`: it
    carries the credentials of a picture of this service, but its bytes are others. `similar`: it
    only looks like a picture of this service, as a copy does that was encoded again, scaled, or
    cropped by up to a tenth on each side. That is no proof. `unknown`: nothing shows that it is
    from here.
    """
    looks_alike: bool | None
    """Of a changed picture: whether it still looks like the one that was stored. If not, its
    credentials were taken from that picture. Null: the verdict is another, or it cannot be told.
    """
    sha256: str
    """Of the picture that you sent, in hex."""
    origin: OriginResponse | None
    """Of the picture of this service; null if it is unknown."""
    credentials: CredentialsResponse | None
    """The Content Credentials in the picture that you sent, also of other services. Null: it has
    none, or you sent a hash.
    """


class SealResponse(TypedDict):
    number: int
    root: str
    """Root of the tree over the events of the seal, in hex."""
    key: str
    """The public key that signed the seal."""
    sealed_at: str


class OrderResponse(TypedDict):
    event_id: str
    """The id of the event that ordered the job."""
    stream: str
    revision: int
    position: str
    """Its place in the log; larger than a JSON number may be."""
    seal: SealResponse | None
    """The seal that covers it; null if none does yet."""


class PassportInputResponse(TypedDict):
    name: str
    asset_id: str
    sha256: str | None
    """Of its bytes when the job was ordered, in hex. Null: it was erased with the job's words."""
    available: bool
    """False: its bytes are gone from the storage."""
    erased_at: str | None
    """When it was erased for good. Null: it was not."""
    credentials: CredentialsResponse | None
    """The Content Credentials that an upload arrived with. Null: it had none, or is no upload. If
    they were too large to be kept, only `valid` and `problems` are known.
    """


class PassportPictureResponse(TypedDict):
    asset_id: str
    kind: str
    content_type: str
    sha256: str | None
    """Of the stored bytes, in hex. Null: it was erased with the job's words."""
    available: bool
    """False: its bytes are gone from the storage."""
    erased_at: str | None
    """When it was erased for good. Null: it was not."""
    credentials: CredentialsResponse | None
    """Null: it has none."""


class PassportResponse(TypedDict):
    public_id: str
    environment: Literal["live", "test"]
    workflow: str
    engine: str
    model: str
    ordered_at: str
    finished_at: str
    order: OrderResponse
    inputs: list[PassportInputResponse]
    pictures: list[PassportPictureResponse]
    """The final pictures."""


class _GrantReleaseBodyRequired(TypedDict):
    data_subject: str
    """Your own name for the person."""


class GrantReleaseBody(_GrantReleaseBodyRequired, total=False):
    workflows: list[Literal["try-on", "model-generator", "background-generator", "complementary-garment-generator", "product-to-model-direct", "product-to-model-phased", "background-swap-with-image", "background-swap-with-spec", "model-swap-with-image", "extract", "look", "catalog-shots", "pdp-extractions", "pdp-batch-extractions"]] | None
    """The workflows that the person allows. Empty: all. `` when absent."""
    uses: list[str] | None
    """What pictures may be used for, in words of yours. Empty: all. `` when absent."""
    territories: list[str] | None
    """Countries by ISO 3166-1 alpha-2. Empty: all. `` when absent."""
    expires_at: str | None
    """From then on it allows nothing. When absent, it does not expire."""
    fee_credits: int | None
    """Owed to the person for each job, in credits."""
    fee_amount: int | None
    """Owed to the person for each job, in hundredths of `fee_currency`."""
    fee_currency: str | None
    """The currency of `fee_amount`, by ISO 4217."""
    document: str | None
    """Where you keep the signed document."""


class ReleaseFeeResponse(TypedDict):
    amount: int
    """Whole credits, or hundredths of the currency."""
    unit: str
    """`credits`, or a currency by ISO 4217."""


class ReleaseResponse(TypedDict):
    public_id: str
    data_subject: str | None
    """Your own name for the person. Null: the person was erased."""
    workflows: list[str]
    """Empty: all."""
    uses: list[str]
    """Empty: all."""
    territories: list[str]
    """Empty: all."""
    expires_at: str | None
    """Null: it does not expire."""
    fee: ReleaseFeeResponse | None
    """Owed for each job."""
    document: str | None
    """Null: none is known, or the person was erased."""
    status: ReleaseStatus
    granted_at: str
    ended_at: str | None
    """When it was withdrawn, has expired, or its person was erased."""


class ReleaseListResponse(TypedDict):
    items: list[ReleaseResponse]
    total: int
    """Number of releases that match."""
    limit: int
    offset: int


class ReleaseTermsBody(TypedDict, total=False):
    workflows: list[Literal["try-on", "model-generator", "background-generator", "complementary-garment-generator", "product-to-model-direct", "product-to-model-phased", "background-swap-with-image", "background-swap-with-spec", "model-swap-with-image", "extract", "look", "catalog-shots", "pdp-extractions", "pdp-batch-extractions"]] | None
    """The workflows that the person allows. Empty: all. `` when absent."""
    uses: list[str] | None
    """What pictures may be used for, in words of yours. Empty: all. `` when absent."""
    territories: list[str] | None
    """Countries by ISO 3166-1 alpha-2. Empty: all. `` when absent."""
    expires_at: str | None
    """From then on it allows nothing. When absent, it does not expire."""
    fee_credits: int | None
    """Owed to the person for each job, in credits."""
    fee_amount: int | None
    """Owed to the person for each job, in hundredths of `fee_currency`."""
    fee_currency: str | None
    """The currency of `fee_amount`, by ISO 4217."""
    document: str | None
    """Where you keep the signed document."""


class WithdrawReleaseBody(TypedDict, total=False):
    reason: str | None
    """Why, for people."""


class ReleaseUseResponse(TypedDict):
    job_id: str
    operation: str
    """The workflow."""
    status: JobStatus
    """Of the job. A fee is owed for a `SUCCESS`."""
    used_at: str
    """When the job was dispatched."""
    fee: ReleaseFeeResponse | None
    """By the terms at that time."""


class OwedFeeResponse(TypedDict):
    amount: int
    """Whole credits, or hundredths of the currency."""
    unit: str
    """`credits`, or a currency by ISO 4217."""
    jobs: int
    """The jobs that it is owed for."""


class ReleaseUsesResponse(TypedDict):
    items: list[ReleaseUseResponse]
    total: int
    """Uses in the period."""
    limit: int
    offset: int
    owed: list[OwedFeeResponse]
    """All fees of the period, one for each unit."""


class ReleaseRuleResponse(TypedDict):
    required: bool
    """Whether a dispatch about a person needs a release."""
    uses: list[str]
    territories: list[str]


class ReleaseRuleBody(TypedDict, total=False):
    required: bool | None
    """Whether a dispatch about a person whom no release covers is refused."""
    uses: list[str] | None
    """What you use pictures for. A release covers a dispatch only if it allows all of it."""
    territories: list[str] | None
    """Where you use pictures. A release covers a dispatch only if it allows all of it."""


class JobOutcomeMessageData(TypedDict):
    job_id: str
    operation: str
    """The workflow."""
    status: Literal["SUCCESS", "FAILURE"]
    error_code: JobErrorCode | None
    """Why it failed, as in the job; null when it succeeded."""
    parent_job_id: str | None
    """The batch to which this photograph belongs."""
    url: str
    """Address of the current state. A read needs an API key."""


class JobSucceededMessage(TypedDict):
    timestamp: str
    """When it happened."""
    environment: Literal["live", "test"]
    type: Literal["job.succeeded"]
    data: JobOutcomeMessageData


class JobFailedMessage(TypedDict):
    timestamp: str
    """When it happened."""
    environment: Literal["live", "test"]
    type: Literal["job.failed"]
    data: JobOutcomeMessageData


class JobStageMessageData(TypedDict):
    job_id: str
    stage: StageName
    seq: int
    """Of the job's timeline."""
    url: str
    """Address of the current state. A read needs an API key."""


class JobStageMessage(TypedDict):
    timestamp: str
    """When it happened."""
    environment: Literal["live", "test"]
    type: Literal["job.stage"]
    data: JobStageMessageData


class BatchFinishedMessage(TypedDict):
    timestamp: str
    """When it happened."""
    environment: Literal["live", "test"]
    type: Literal["batch.finished"]
    data: JobOutcomeMessageData


class CreditsLowMessageData(TypedDict):
    balance: int
    """The balance after the charge that took it below the threshold."""
    threshold: int
    """`credits_low_below` of the endpoint."""
    url: str
    """Address of the current state. A read needs an API key."""


class CreditsLowMessage(TypedDict):
    timestamp: str
    """When it happened."""
    environment: Literal["live", "test"]
    type: Literal["credits.low"]
    data: CreditsLowMessageData


class WebhookDisabledMessageData(TypedDict):
    endpoint_id: str
    url: str
    """Address of the current state. A read needs an API key."""
    reason: Literal["failing", "gone"]
    """Every call has failed for five days, or it answered 410."""


class WebhookDisabledMessage(TypedDict):
    timestamp: str
    """When it happened."""
    environment: Literal["live", "test"]
    type: Literal["webhook.disabled"]
    data: WebhookDisabledMessageData


class WebhookTestMessageData(TypedDict):
    endpoint_id: str
    url: str
    """Address of the current state. A read needs an API key."""


class WebhookTestMessage(TypedDict):
    timestamp: str
    """When it happened."""
    environment: Literal["live", "test"]
    type: Literal["webhook.test"]
    data: WebhookTestMessageData


class _CreateWebhookBodyRequired(TypedDict):
    url: str
    """Where messages are sent: an `https://` URL that is reached over the internet."""
    events: list[Literal["job.succeeded", "job.failed", "job.stage", "batch.finished", "credits.low", "webhook.disabled", "picture.expiring"]]
    """Which messages are sent."""


class CreateWebhookBody(_CreateWebhookBodyRequired, total=False):
    description: str | None
    """For people."""
    credits_low_below: int | None
    """`credits.low` is sent when a charge takes the balance below this. `100` when absent."""


class WebhookWithSecretResponse(TypedDict):
    public_id: str
    url: str
    events: list[WebhookTopic]
    description: str
    credits_low_below: int
    enabled: bool
    """Whether messages are sent."""
    disabled_because: Literal["requested", "failing", "gone", None]
    """Why it is disabled: its owner requested that, every call has failed for five days, or it
    answered 410. Null while it is enabled.
    """
    disabled_at: str | None
    previous_secret_until: str | None
    """When the previous secret stops signing; null when there is none."""
    created_at: str
    secret: str
    """The secret that signs its messages. Shown only now: keep it where only your servers can read
    it.
    """


class WebhookResponse(TypedDict):
    public_id: str
    url: str
    events: list[WebhookTopic]
    description: str
    credits_low_below: int
    enabled: bool
    """Whether messages are sent."""
    disabled_because: Literal["requested", "failing", "gone", None]
    """Why it is disabled: its owner requested that, every call has failed for five days, or it
    answered 410. Null while it is enabled.
    """
    disabled_at: str | None
    previous_secret_until: str | None
    """When the previous secret stops signing; null when there is none."""
    created_at: str


class WebhookListResponse(TypedDict):
    items: list[WebhookResponse]


class ReviseWebhookBody(TypedDict, total=False):
    url: str | None
    """Where messages are sent: an `https://` URL that is reached over the internet."""
    events: list[Literal["job.succeeded", "job.failed", "job.stage", "batch.finished", "credits.low", "webhook.disabled", "picture.expiring"]] | None
    """Which messages are sent."""
    description: str | None
    """For people."""
    credits_low_below: int | None
    """`credits.low` is sent when a charge takes the balance below this."""
    enabled: bool | None
    """`false` stops its messages, `true` lets them flow again. Events in between are not sent."""


class RotateWebhookSecretBody(TypedDict, total=False):
    overlap_hours: int | None
    """For how many hours the previous secret still signs as well. `24` when absent."""


class RequestedTestResponse(TypedDict):
    delivery_id: str
    """The delivery: it appears in the list of deliveries in a moment."""


class ResendWebhookBody(TypedDict, total=False):
    delivery_id: str | None
    """The delivery with this id. `delivery_id`, or `since` with `until`, or `failed`: exactly one
    of them.
    """
    since: str | None
    """All deliveries about events from then on. `delivery_id`, or `since` with `until`, or
    `failed`: exactly one of them.
    """
    until: str | None
    """With `since`: only deliveries about events before then."""
    failed: bool | None
    """`true`: all deliveries that have failed for good. `delivery_id`, or `since` with `until`, or
    `failed`: exactly one of them.
    """


class RequestedResendResponse(TypedDict):
    status: Literal["REQUESTED"]
    """Deliveries are sent again in the background."""


class WebhookAttemptResponse(TypedDict):
    at: str
    duration_ms: int
    status_code: int | None
    """The HTTP status of the answer; null when none came."""
    answer: str | None
    """The first bytes of the answer; null when none came."""
    error: str | None
    """Why no answer came."""


class DeliveryResponse(TypedDict):
    public_id: str
    """The id in the header `webhook-id`, the same at every attempt."""
    type: WebhookMessageType
    status: DeliveryStatus
    occurred_at: str
    """When it happened."""
    next_attempt_at: str | None
    """Null when no further attempt is made, or the next one is made at once."""
    attempts: list[WebhookAttemptResponse]
    """The oldest first."""


class DeliveryListResponse(TypedDict):
    items: list[DeliveryResponse]
    """Newest first."""
    total: int
    limit: int
    offset: int


class HealthResponse(TypedDict):
    status: Literal["ok"]


class PictureExpiringMessageData(TypedDict):
    asset_id: str
    """The picture."""
    job_id: str | None
    """The job that made it; null for an upload."""
    kind: Literal["upload", "final"]
    expires_at: str
    """From then on it is erased. A change of the rule may move this."""
    url: str
    """Address of the current state. A read needs an API key."""


class PictureExpiringMessage(TypedDict):
    timestamp: str
    """When it happened."""
    environment: Literal["live", "test"]
    type: Literal["picture.expiring"]
    data: PictureExpiringMessageData


WebhookMessage = Union[
    JobSucceededMessage,
    JobFailedMessage,
    JobStageMessage,
    BatchFinishedMessage,
    CreditsLowMessage,
    WebhookDisabledMessage,
    WebhookTestMessage,
    PictureExpiringMessage,
]
"""A message to an endpoint: `type` says which fields `data` has."""
