"""Tables of the database of answers. Answers are added and never changed."""

from enact_assets.people.database import Database, Run

STATEMENTS = (
    # `token_sha`: whoever has the link is the annotator; the link itself is not kept.
    """
    create table if not exists people_annotators (
        id text primary key, label text not null, role text not null,
        token_sha text not null unique, quota integer not null
    )
    """,
    # `version`: hash of what is shown, so that a question that changed is another one.
    # `wanted`: how many annotators of a role should draw it; 0: it is only assigned by a plan.
    """
    create table if not exists people_questions (
        version text primary key, question_id text not null, variant text not null,
        type text not null, kind text not null, length integer not null,
        demonstration text not null, is_practice integer not null, is_current integer not null,
        turn integer not null, wanted integer not null, shown_sha text not null,
        content text not null, media text not null
    )
    """,
    # Apart, so that no query for a page meets a key by accident.
    """
    create table if not exists people_keys (
        version text primary key references people_questions, key text not null
    )
    """,
    """
    create table if not exists people_assignments (
        id text primary key, annotator text not null references people_annotators,
        version text not null references people_questions, position integer not null,
        shuffle text not null, leased_until double precision, is_withdrawn integer not null,
        shown_at double precision,
        unique (annotator, version), unique (annotator, position)
    )
    """,
    """
    create table if not exists people_answers (
        id text primary key, assignment text not null references people_assignments,
        revision integer not null, answer text, reason text, comment text not null,
        active_ms integer not null, shown_at double precision not null,
        received_at double precision not null,
        unique (assignment, revision), check ((answer is null) <> (reason is null))
    )
    """,
    "create index if not exists people_assigned on people_assignments (version)",
)


def create_tables(database: Database) -> None:
    """Create the tables that are not there. Errors: :class:`PeopleError`."""

    def create(run: Run) -> None:
        for statement in STATEMENTS:
            run(statement)

    database.write(create, is_alone=True)
