INSERT INTO person (id, username, email) VALUES
  ('ada', 'ada', 'ada@example.com'),
  ('ben', 'ben', 'ben@example.com'),
  ('eva', 'eva', 'eva@example.com');
