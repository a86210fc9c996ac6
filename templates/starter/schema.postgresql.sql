CREATE TABLE task (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  title varchar(200) NOT NULL,
  done boolean NOT NULL DEFAULT false,
  created timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE comment (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  task_id integer NOT NULL REFERENCES task (id) ON DELETE CASCADE,
  author varchar(80) NOT NULL,
  body text NOT NULL
);

CREATE INDEX comment_of_task ON comment (task_id);
