"""Facts that pages draw and that are not in headers, views or steps. They are derived from a run's header,
first view and steps alone, so stored runs and replays have them, too, and no recording contains them."""
