INSERT INTO users (username, password, is_admin) VALUES ('admin', '$2a$10$UYVlyxxOEwh4bvkN2qDIGuG/7lgc4.H6a.m5rh2QP2HPP1kU42Ghq', true);
INSERT INTO api_keys (user_id, token, description) VALUES (1, '0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef', 'reader');
