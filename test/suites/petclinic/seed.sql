INSERT INTO types (name) VALUES ('cat'), ('dog'), ('lizard');

INSERT INTO owners (first_name, last_name, address, city, telephone) VALUES
  ('Ada', 'Davison', '1 Kiln Street', 'Ulm', '0731555'),
  ('Ben', 'Davis', '2 Clay Way', 'Graz', '0316555'),
  ('Cleo', 'Miller', '3 Mill Lane', 'Brno', '0542555');

INSERT INTO pets (name, birth_date, type_id, owner_id) VALUES
  ('Tom', '2020-09-07', 1, 1),
  ('Rex', '2021-03-01', 2, 2),
  ('Ace', '2019-05-20', 2, 2);

INSERT INTO visits (pet_id, visit_date, description) VALUES
  (1, '2024-01-05', 'first check'),
  (2, '2024-03-04', 'rabies shot'),
  (2, '2023-06-04', 'neutered');

INSERT INTO vets (first_name, last_name) VALUES ('Jim', 'Carter'), ('Lea', 'Leary'), ('Max', 'Ortega');

INSERT INTO specialties (name) VALUES ('radiology'), ('surgery'), ('dentistry');

INSERT INTO vet_specialties (vet_id, specialty_id) VALUES (2, 1), (3, 2), (3, 3);
