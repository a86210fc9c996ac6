CREATE TABLE todo (
  id integer AUTO_INCREMENT PRIMARY KEY,
  title text NOT NULL,
  completed boolean NOT NULL DEFAULT false,
  position integer
);
