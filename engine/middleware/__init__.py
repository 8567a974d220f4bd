"""Two-phase commit over message middleware: initiator, business system, middleware, participants (section MW)."""
