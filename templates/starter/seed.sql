INSERT INTO task (title, done) VALUES
  ('Read config.yaml', true),
  ('Change an operation', false),
  ('Add a test', false);

INSERT INTO comment (task_id, author, body) VALUES
  (2, 'Ada', 'Save the file to reload the service.'),
  (2, 'Grace', 'Open /docs-ui to try it.');
