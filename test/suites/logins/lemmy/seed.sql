INSERT INTO local_site DEFAULT VALUES;
INSERT INTO person (name, banned) VALUES ('Alpha', false), ('Banned', true), ('Pending', false);
INSERT INTO local_user (person_id, password_encrypted, email, accepted_application) VALUES
  (1, '$2a$10$KH74SHVA78zw1llPQZGkYuLz8PuwgQlavAPzjF3aOVL0G5RQD269u', 'alpha@example.com', true),
  (2, '$2a$10$f2bNpffgsVrsyGutl6yFmewrJcQ6rUqbVJio7ENNCkDLIwuh4WL7O', NULL, true),
  (3, '$2a$10$K1UDmCw293LUWc0yIbbG5e.niK2sb80mqCvLDGoSQ9kx4vDF69ZOS', NULL, false);
