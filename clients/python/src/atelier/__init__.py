"""Orders fashion imagery from Atelier: uploads, dispatches, follows the job, gives the pictures."""

from .client import AsyncAtelier, Atelier
from .errors import AtelierError, JobFailedError, NoAnswerError
from .openapi import WebhookMessage
from .pictures import Picture, PictureFile
from .run import AsyncRun, FinishedJob, Run
from .webhooks import WebhookVerificationError, verify_webhook

__all__ = [
    "AsyncAtelier",
    "AsyncRun",
    "Atelier",
    "AtelierError",
    "FinishedJob",
    "JobFailedError",
    "NoAnswerError",
    "Picture",
    "PictureFile",
    "Run",
    "WebhookMessage",
    "WebhookVerificationError",
    "verify_webhook",
]
