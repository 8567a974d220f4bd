"""Sets the Content-Security-Policy header: a page loads scripts, styles and pictures only from this site (pictures
also from `data:` and `blob:` addresses), and connects only to it."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from eosviz.middleware import Middleware

CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'self'",
        "script-src 'self'",
        # Style attributes in HTML are not permitted either. Scripts set the property `.style`, which is
        # permitted.
        "style-src 'self'",
        "img-src 'self' data: blob:",
        "worker-src 'self' blob:",
        "connect-src 'self'",
        "object-src 'none'",
        "base-uri 'self'",
        # The form for signing in with another site's account redirects to that site.
        " ".join(("form-action 'self'", *settings.SIGN_IN_ORIGINS)),
        "frame-ancestors 'none'",
    )
)

EMBEDDED_POLICY = CONTENT_SECURITY_POLICY.replace("frame-ancestors 'none'", "frame-ancestors *")
"""The policy of pages that other sites may show in a frame."""

FRAMED_HERE_POLICY = CONTENT_SECURITY_POLICY.replace("frame-ancestors 'none'", "frame-ancestors 'self'")
"""The policy of pages that other pages of this site show in a frame."""


class ContentSecurityPolicyMiddleware(Middleware):
    """Adds the policy to every response that has none. With it, a browser runs no script in text that should
    have been escaped."""

    def after(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        response.headers.setdefault("Content-Security-Policy", CONTENT_SECURITY_POLICY)
        return response
