INSERT INTO user (id, name, email, encrypted_password) VALUES ('2c1f0a52-11a6-4b11-9a53-1f9d9b6c0001', 'End to End Tester', 'e2e@test.com', '$2a$10$Xg98aw3aJiq/1zuU4.ue3OHAZrf/9PU0MmAf9EHsR2vR7OQ8OTjxu');
INSERT INTO project_client (id, name, encrypted_secret) VALUES ('2c1f0a52-11a6-4b11-9a53-1f9d9b6c0002', 'Pipeline', '$2a$10$lDRguyC6wbs7FsSRAjJ/ieZNGI5LDFy6dFQJA6GPtsGT2LGORjuHm');
