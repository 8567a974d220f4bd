from django.urls import URLPattern, URLResolver, path

from eosviz.workshop import building, from_case, from_shrink, views

app_name = "workshop"
urlpatterns: list[URLPattern | URLResolver] = [
    path("workshop/", views.gallery, name="gallery"),
    path("workshop/make", views.make, name="make"),
    path("workshop/import", views.import_file, name="import"),
    path("workshop/form.json", building.form_file, name="form"),
    path("workshop/from-branch/<int:branch_id>", views.from_branch, name="from_branch"),
    path("workshop/from-case/<uuid:replay_id>", from_case.from_case, name="from_case"),
    path("workshop/from-shrink/<uuid:shrink_id>", from_shrink.from_shrink, name="from_shrink"),
    path("workshop/<uuid:draft_id>/", views.detail, name="detail"),
    path("workshop/<uuid:draft_id>/scenario.toml", views.export_draft, name="export_draft"),
    path("workshop/<uuid:draft_id>/build/", building.build, name="build"),
    path("workshop/<uuid:draft_id>/edit", building.edit, name="edit"),
    path("workshop/<uuid:draft_id>/preview", building.preview, name="preview"),
    path("workshop/<uuid:draft_id>/save", building.save, name="save"),
    path("workshop/<uuid:draft_id>/publish", building.publish, name="publish"),
    path("workshop/<uuid:draft_id>/publishing", views.publishing_state, name="publishing"),
    path("workshop/<uuid:draft_id>/publishing/cancel", views.publishing_cancel, name="publishing_cancel"),
    path("workshop/<uuid:draft_id>/try", building.try_out, name="try_out"),
    path("workshop/<uuid:draft_id>/visibility", views.set_visibility, name="set_visibility"),
    path("workshop/<uuid:draft_id>/seen", views.seen, name="seen"),
    path("workshop/<uuid:draft_id>/delete", views.delete, name="delete"),
    path("workshop/<uuid:draft_id>/versions/<int:number>/start", views.start, name="start"),
    path("workshop/<uuid:draft_id>/versions/<int:number>/fork", views.fork, name="fork"),
    path("workshop/<uuid:draft_id>/versions/<int:number>.toml", views.export, name="export"),
]
