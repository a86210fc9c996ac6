CREATE TABLE task (
  id integer NOT NULL AUTO_INCREMENT PRIMARY KEY,
  title varchar(200) NOT NULL,
  done boolean NOT NULL DEFAULT false,
  created timestamp NOT NULL DEFAULT current_timestamp
);

CREATE TABLE comment (
  id integer NOT NULL AUTO_INCREMENT PRIMARY KEY,
  task_id integer NOT NULL,
  author varchar(80) NOT NULL,
  body text NOT NULL,
  FOREIGN KEY (task_id) REFERENCES task (id) ON DELETE CASCADE
);
