--
-- PostgreSQL database dump
--

\restrict 0dNgeVOvoorgfN5YskpAFetj0Hat9mvgtGTNGJWKl4WLom89ZgRZqcgQfSrx4Tp

-- Dumped from database version 18.4
-- Dumped by pg_dump version 18.4

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET transaction_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: adjudge; Type: SCHEMA; Schema: -; Owner: -
--

CREATE SCHEMA adjudge;


SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: account; Type: TABLE; Schema: adjudge; Owner: -
--

CREATE TABLE adjudge.account (
    evaluation text NOT NULL COLLATE pg_catalog."C",
    person text NOT NULL COLLATE pg_catalog."C",
    role text NOT NULL,
    state text NOT NULL,
    token_hash text COLLATE pg_catalog."C",
    token_once boolean NOT NULL,
    token_made_at text,
    token_used_at text,
    password_hash text,
    made_at text NOT NULL,
    seen_at text
);


--
-- Name: account_log; Type: TABLE; Schema: adjudge; Owner: -
--

CREATE TABLE adjudge.account_log (
    evaluation text NOT NULL COLLATE pg_catalog."C",
    n bigint NOT NULL,
    at text NOT NULL,
    person text COLLATE pg_catalog."C",
    what text NOT NULL,
    actor text COLLATE pg_catalog."C",
    place text
);


--
-- Name: alembic_version; Type: TABLE; Schema: adjudge; Owner: -
--

CREATE TABLE adjudge.alembic_version (
    version_num character varying(32) NOT NULL
);


--
-- Name: attempt; Type: TABLE; Schema: adjudge; Owner: -
--

CREATE TABLE adjudge.attempt (
    evaluation text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    key_hash text NOT NULL COLLATE pg_catalog."C",
    at text NOT NULL COLLATE pg_catalog."C"
);


--
-- Name: edit; Type: TABLE; Schema: adjudge; Owner: -
--

CREATE TABLE adjudge.edit (
    evaluation text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    made_at text NOT NULL,
    what text NOT NULL
);


--
-- Name: evaluation; Type: TABLE; Schema: adjudge; Owner: -
--

CREATE TABLE adjudge.evaluation (
    name text NOT NULL COLLATE pg_catalog."C",
    last_seq bigint NOT NULL
);


--
-- Name: event; Type: TABLE; Schema: adjudge; Owner: -
--

CREATE TABLE adjudge.event (
    evaluation text NOT NULL COLLATE pg_catalog."C",
    seq bigint NOT NULL,
    id text NOT NULL COLLATE pg_catalog."C",
    task text NOT NULL COLLATE pg_catalog."C",
    assessor text NOT NULL COLLATE pg_catalog."C",
    question text NOT NULL COLLATE pg_catalog."C",
    answer text NOT NULL,
    base bigint,
    newer bigint,
    origin text NOT NULL,
    client text,
    client_n bigint,
    shown_at text,
    answered_at text,
    took_ms bigint,
    received_at text NOT NULL
);


--
-- Name: person; Type: TABLE; Schema: adjudge; Owner: -
--

CREATE TABLE adjudge.person (
    evaluation text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    name text,
    pseudonym text NOT NULL COLLATE pg_catalog."C",
    erased text
);


--
-- Name: secret; Type: TABLE; Schema: adjudge; Owner: -
--

CREATE TABLE adjudge.secret (
    evaluation text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    value text NOT NULL
);


--
-- Name: session; Type: TABLE; Schema: adjudge; Owner: -
--

CREATE TABLE adjudge.session (
    evaluation text NOT NULL COLLATE pg_catalog."C",
    hash text NOT NULL COLLATE pg_catalog."C",
    person text NOT NULL COLLATE pg_catalog."C",
    made_at text NOT NULL,
    expires_at text NOT NULL,
    seen_at text NOT NULL,
    way text
);


--
-- Name: task; Type: TABLE; Schema: adjudge; Owner: -
--

CREATE TABLE adjudge.task (
    evaluation text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    assessor text NOT NULL COLLATE pg_catalog."C",
    protocol text NOT NULL COLLATE pg_catalog."C",
    version text NOT NULL,
    topic text NOT NULL COLLATE pg_catalog."C",
    peer_system text,
    peer_length bigint,
    reference_system text,
    reference_length bigint,
    left_json text,
    right_json text,
    hashes text NOT NULL,
    "position" bigint NOT NULL,
    phase bigint,
    repeat_of text COLLATE pg_catalog."C",
    lease_until text,
    lease_by text COLLATE pg_catalog."C",
    cancelled text,
    renamed text,
    peer_form text,
    reference_form text,
    asked text
);


--
-- Data for Name: account; Type: TABLE DATA; Schema: adjudge; Owner: -
--

INSERT INTO adjudge.account VALUES ('fixture', 'ann', 'organiser', 'active', '8f8505a310bf4e57c8a26464f14a283042a3ceb8dd3be10baa6b100b0a8d031b', false, '2024-05-01T12:00:00.000000Z', NULL, '$argon2id$v=19$m=65536,t=3,p=4$WPiqHZFoXD8AI9zNa24uwQ$lYCuejA4a3GHNMnhe2p1aKAxEMRylanujCaY1s85590', '2024-05-01T12:00:00.000000Z', '2024-05-01T12:00:00.000000Z');
INSERT INTO adjudge.account VALUES ('fixture', 'bob', 'assessor', 'suspended', '66b894f51858eedb6ad145d7ac7d87c4d2ca06a8fca0e31a163ce27d0c2e64d5', false, '2024-05-01T12:00:00.000000Z', NULL, NULL, '2024-05-01T12:00:00.000000Z', NULL);


--
-- Data for Name: account_log; Type: TABLE DATA; Schema: adjudge; Owner: -
--

INSERT INTO adjudge.account_log VALUES ('fixture', 1, '2024-05-01T12:00:00.000000Z', 'ann', 'account made', NULL, 'command line');
INSERT INTO adjudge.account_log VALUES ('fixture', 2, '2024-05-01T12:00:00.000000Z', 'bob', 'account made', NULL, 'command line');
INSERT INTO adjudge.account_log VALUES ('fixture', 3, '2024-05-01T12:00:00.000000Z', 'ann', 'password set', NULL, 'command line');
INSERT INTO adjudge.account_log VALUES ('fixture', 4, '2024-05-01T12:00:00.000000Z', 'ann', 'signed in', NULL, 'command line');
INSERT INTO adjudge.account_log VALUES ('fixture', 5, '2024-05-01T12:00:00.000000Z', 'bob', 'suspended, sessions and password ended', NULL, 'command line');


--
-- Data for Name: alembic_version; Type: TABLE DATA; Schema: adjudge; Owner: -
--

INSERT INTO adjudge.alembic_version VALUES ('0006');


--
-- Data for Name: attempt; Type: TABLE DATA; Schema: adjudge; Owner: -
--

INSERT INTO adjudge.attempt VALUES ('fixture', '7b06a291bd897e9e6261767f36428054', 'c6d67702a752421e09eb2f222eaedd58b8dfb742700c9be5aaea40a1de3f312a', '2024-05-01T12:00:00.000000Z');


--
-- Data for Name: edit; Type: TABLE DATA; Schema: adjudge; Owner: -
--

INSERT INTO adjudge.edit VALUES ('fixture', 'an-edit', '2024-05-01T12:00:00.000000Z', '{"what": "remove", "system": "nobody", "topic": null, "to": null, "protocol": null, "cancelled": null, "id": "an-edit"}');


--
-- Data for Name: evaluation; Type: TABLE DATA; Schema: adjudge; Owner: -
--

INSERT INTO adjudge.evaluation VALUES ('fixture', 8);
INSERT INTO adjudge.evaluation VALUES ('forms', 0);
INSERT INTO adjudge.evaluation VALUES ('asked', 0);


--
-- Data for Name: event; Type: TABLE DATA; Schema: adjudge; Owner: -
--

INSERT INTO adjudge.event VALUES ('fixture', 1, '00000000-0000-0000-0000-000000000001', 't1', 'ann', 'unit:m1', '{"marked": ["u1", "u2"], "completeness": 0.75}', NULL, NULL, 'human', 'tab-ann-laptop', 1, '2024-05-01T11:59:00Z', '2024-05-01T11:59:30Z', 30000, '2024-05-01T12:00:00.000000Z');
INSERT INTO adjudge.event VALUES ('fixture', 2, '00000000-0000-0000-0000-000000000002', 't1', 'ann', 'unit:m1', '{"marked": ["u1"], "completeness": 1}', 1, NULL, 'human', NULL, NULL, NULL, NULL, NULL, '2024-05-01T12:00:00.000000Z');
INSERT INTO adjudge.event VALUES ('fixture', 3, '00000000-0000-0000-0000-000000000003', 't1', 'ann', 'unit:m1', '{"marked": [], "completeness": 1.0}', 1, 2, 'human', NULL, NULL, NULL, NULL, NULL, '2024-05-01T12:00:00.000000Z');
INSERT INTO adjudge.event VALUES ('fixture', 4, '00000000-0000-0000-0000-000000000004', 't1', 'ann', 'quality:1', 'null', NULL, NULL, 'human', NULL, NULL, NULL, NULL, NULL, '2024-05-01T12:00:00.000000Z');
INSERT INTO adjudge.event VALUES ('fixture', 5, '00000000-0000-0000-0000-000000000005', 't1', 'ann', 'comment', '{"text": "As Bob said: \u2028 \u201cna\u00efve\u201d, \ud83d\ude00, \ud800, \u0000 and ANN"}', NULL, NULL, 'human', NULL, NULL, NULL, NULL, NULL, '2024-05-01T12:00:00.000000Z');
INSERT INTO adjudge.event VALUES ('fixture', 6, '00000000-0000-0000-0000-000000000006', 't3', 'bob', 'preference', '{"winner": "left"}', NULL, NULL, 'human', NULL, NULL, NULL, NULL, NULL, '2024-05-01T12:00:00.000000Z');
INSERT INTO adjudge.event VALUES ('fixture', 7, '00000000-0000-0000-0000-000000000007', 't3', 'cem', 'preference', '{"winner": "tie"}', NULL, NULL, 'adjudicated', NULL, NULL, NULL, NULL, NULL, '2024-05-01T12:00:00.000000Z');
INSERT INTO adjudge.event VALUES ('fixture', 8, '00000000-0000-0000-0000-000000000008', 't1', 'ann', 'flag', '{"text": "no name"}', NULL, NULL, 'simulated', NULL, NULL, NULL, NULL, NULL, '2024-05-01T12:00:00.000000Z');


--
-- Data for Name: person; Type: TABLE DATA; Schema: adjudge; Owner: -
--

INSERT INTO adjudge.person VALUES ('fixture', 'cem', NULL, 'p-three', NULL);
INSERT INTO adjudge.person VALUES ('fixture', 'ann', 'Ann Öster', 'p-one', NULL);
INSERT INTO adjudge.person VALUES ('fixture', 'bob', 'Bob O''Neil', 'p-two', NULL);
INSERT INTO adjudge.person VALUES ('forms', 'ann', NULL, 'p-dac843ac4c', NULL);
INSERT INTO adjudge.person VALUES ('asked', 'ann', NULL, 'p-a459592f3d', NULL);


--
-- Data for Name: secret; Type: TABLE DATA; Schema: adjudge; Owner: -
--

INSERT INTO adjudge.secret VALUES ('fixture', 'ids', '5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e');
INSERT INTO adjudge.secret VALUES ('fixture', 'attempts', 'a4f8faa0499cfbca9f3aaddffbee5a75289a79ccf90ea9d0aee6f7441809c939');


--
-- Data for Name: session; Type: TABLE DATA; Schema: adjudge; Owner: -
--

INSERT INTO adjudge.session VALUES ('fixture', '7132474b80e4399dcf6b6165042546d9a0ad6e5e04d95c34d4300a008f2dde49', 'ann', '2024-05-01T12:00:00.000000Z', '2024-05-01T20:00:00.000000Z', '2024-05-01T12:00:00.000000Z', NULL);


--
-- Data for Name: task; Type: TABLE DATA; Schema: adjudge; Owner: -
--

INSERT INTO adjudge.task VALUES ('fixture', 't1', 'ann', 'duc-2002', '1', 'D1', 'sys-1', 100, 'ref-A', NULL, NULL, NULL, '{"peer": "ab", "reference": "cd"}', 3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO adjudge.task VALUES ('fixture', 't3', 'bob', 'preference', '1', 'D2', NULL, NULL, NULL, NULL, '{"system": "sys-1", "length": null}', '{"system": "sys-2", "units": ["u1"]}', '{}', 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO adjudge.task VALUES ('fixture', 't2', 'ann', 'duc-2002', '1', 'D1', 'sys-1', 100, NULL, NULL, NULL, NULL, '{}', 9, 2, 't1', '2024-05-01T13:00:00.000000Z', 'cem', NULL, NULL, NULL, NULL, NULL);
INSERT INTO adjudge.task VALUES ('forms', 'f1', 'ann', 'duc-2002', '1', 'D1', 'sys-1', 200, 'A', NULL, NULL, NULL, '{}', 0, NULL, NULL, NULL, NULL, NULL, NULL, 'extract', 'abstract', NULL);
INSERT INTO adjudge.task VALUES ('asked', 'm1', 'ann', 'mismatch', '1', 'D1', 'sys-1', 100, NULL, NULL, NULL, NULL, '{}', 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{"unit": "e1", "kind": "missed", "measure": "nams", "value": 0.1, "marked": [[0, 9]]}');


--
-- Name: alembic_version alembic_version_pkc; Type: CONSTRAINT; Schema: adjudge; Owner: -
--

ALTER TABLE ONLY adjudge.alembic_version
    ADD CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num);


--
-- Name: account pk_account; Type: CONSTRAINT; Schema: adjudge; Owner: -
--

ALTER TABLE ONLY adjudge.account
    ADD CONSTRAINT pk_account PRIMARY KEY (evaluation, person);


--
-- Name: account_log pk_account_log; Type: CONSTRAINT; Schema: adjudge; Owner: -
--

ALTER TABLE ONLY adjudge.account_log
    ADD CONSTRAINT pk_account_log PRIMARY KEY (evaluation, n);


--
-- Name: attempt pk_attempt; Type: CONSTRAINT; Schema: adjudge; Owner: -
--

ALTER TABLE ONLY adjudge.attempt
    ADD CONSTRAINT pk_attempt PRIMARY KEY (evaluation, id);


--
-- Name: edit pk_edit; Type: CONSTRAINT; Schema: adjudge; Owner: -
--

ALTER TABLE ONLY adjudge.edit
    ADD CONSTRAINT pk_edit PRIMARY KEY (evaluation, id);


--
-- Name: evaluation pk_evaluation; Type: CONSTRAINT; Schema: adjudge; Owner: -
--

ALTER TABLE ONLY adjudge.evaluation
    ADD CONSTRAINT pk_evaluation PRIMARY KEY (name);


--
-- Name: event pk_event; Type: CONSTRAINT; Schema: adjudge; Owner: -
--

ALTER TABLE ONLY adjudge.event
    ADD CONSTRAINT pk_event PRIMARY KEY (evaluation, seq);


--
-- Name: person pk_person; Type: CONSTRAINT; Schema: adjudge; Owner: -
--

ALTER TABLE ONLY adjudge.person
    ADD CONSTRAINT pk_person PRIMARY KEY (evaluation, id);


--
-- Name: secret pk_secret; Type: CONSTRAINT; Schema: adjudge; Owner: -
--

ALTER TABLE ONLY adjudge.secret
    ADD CONSTRAINT pk_secret PRIMARY KEY (evaluation, name);


--
-- Name: session pk_session; Type: CONSTRAINT; Schema: adjudge; Owner: -
--

ALTER TABLE ONLY adjudge.session
    ADD CONSTRAINT pk_session PRIMARY KEY (evaluation, hash);


--
-- Name: task pk_task; Type: CONSTRAINT; Schema: adjudge; Owner: -
--

ALTER TABLE ONLY adjudge.task
    ADD CONSTRAINT pk_task PRIMARY KEY (evaluation, id);


--
-- Name: account uq_account_evaluation_token_hash; Type: CONSTRAINT; Schema: adjudge; Owner: -
--

ALTER TABLE ONLY adjudge.account
    ADD CONSTRAINT uq_account_evaluation_token_hash UNIQUE (evaluation, token_hash);


--
-- Name: event uq_event_id_evaluation; Type: CONSTRAINT; Schema: adjudge; Owner: -
--

ALTER TABLE ONLY adjudge.event
    ADD CONSTRAINT uq_event_id_evaluation UNIQUE (id, evaluation);


--
-- Name: person uq_person_evaluation_pseudonym; Type: CONSTRAINT; Schema: adjudge; Owner: -
--

ALTER TABLE ONLY adjudge.person
    ADD CONSTRAINT uq_person_evaluation_pseudonym UNIQUE (evaluation, pseudonym);


--
-- Name: ix_account_log_evaluation_person_n; Type: INDEX; Schema: adjudge; Owner: -
--

CREATE INDEX ix_account_log_evaluation_person_n ON adjudge.account_log USING btree (evaluation, person, n);


--
-- Name: ix_attempt_evaluation_at; Type: INDEX; Schema: adjudge; Owner: -
--

CREATE INDEX ix_attempt_evaluation_at ON adjudge.attempt USING btree (evaluation, at);


--
-- Name: ix_attempt_evaluation_key_hash_at; Type: INDEX; Schema: adjudge; Owner: -
--

CREATE INDEX ix_attempt_evaluation_key_hash_at ON adjudge.attempt USING btree (evaluation, key_hash, at);


--
-- Name: ix_event_task_question_evaluation_assessor_seq; Type: INDEX; Schema: adjudge; Owner: -
--

CREATE INDEX ix_event_task_question_evaluation_assessor_seq ON adjudge.event USING btree (task, question, evaluation, assessor, seq);


--
-- Name: ix_session_evaluation_person; Type: INDEX; Schema: adjudge; Owner: -
--

CREATE INDEX ix_session_evaluation_person ON adjudge.session USING btree (evaluation, person);


--
-- Name: ix_task_evaluation_assessor_position; Type: INDEX; Schema: adjudge; Owner: -
--

CREATE INDEX ix_task_evaluation_assessor_position ON adjudge.task USING btree (evaluation, assessor, "position");


--
-- Name: ix_task_evaluation_topic; Type: INDEX; Schema: adjudge; Owner: -
--

CREATE INDEX ix_task_evaluation_topic ON adjudge.task USING btree (evaluation, topic);


--
-- Name: account_log fk_account_log_person_evaluation_actor; Type: FK CONSTRAINT; Schema: adjudge; Owner: -
--

ALTER TABLE ONLY adjudge.account_log
    ADD CONSTRAINT fk_account_log_person_evaluation_actor FOREIGN KEY (evaluation, actor) REFERENCES adjudge.person(evaluation, id) ON UPDATE CASCADE;


--
-- Name: account_log fk_account_log_person_evaluation_person; Type: FK CONSTRAINT; Schema: adjudge; Owner: -
--

ALTER TABLE ONLY adjudge.account_log
    ADD CONSTRAINT fk_account_log_person_evaluation_person FOREIGN KEY (evaluation, person) REFERENCES adjudge.person(evaluation, id) ON UPDATE CASCADE;


--
-- Name: account fk_account_person_evaluation_person; Type: FK CONSTRAINT; Schema: adjudge; Owner: -
--

ALTER TABLE ONLY adjudge.account
    ADD CONSTRAINT fk_account_person_evaluation_person FOREIGN KEY (evaluation, person) REFERENCES adjudge.person(evaluation, id) ON UPDATE CASCADE;


--
-- Name: event fk_event_person_evaluation_assessor; Type: FK CONSTRAINT; Schema: adjudge; Owner: -
--

ALTER TABLE ONLY adjudge.event
    ADD CONSTRAINT fk_event_person_evaluation_assessor FOREIGN KEY (evaluation, assessor) REFERENCES adjudge.person(evaluation, id) ON UPDATE CASCADE;


--
-- Name: event fk_event_task_evaluation_task; Type: FK CONSTRAINT; Schema: adjudge; Owner: -
--

ALTER TABLE ONLY adjudge.event
    ADD CONSTRAINT fk_event_task_evaluation_task FOREIGN KEY (evaluation, task) REFERENCES adjudge.task(evaluation, id);


--
-- Name: person fk_person_evaluation_evaluation; Type: FK CONSTRAINT; Schema: adjudge; Owner: -
--

ALTER TABLE ONLY adjudge.person
    ADD CONSTRAINT fk_person_evaluation_evaluation FOREIGN KEY (evaluation) REFERENCES adjudge.evaluation(name);


--
-- Name: session fk_session_person_evaluation_person; Type: FK CONSTRAINT; Schema: adjudge; Owner: -
--

ALTER TABLE ONLY adjudge.session
    ADD CONSTRAINT fk_session_person_evaluation_person FOREIGN KEY (evaluation, person) REFERENCES adjudge.person(evaluation, id) ON UPDATE CASCADE;


--
-- Name: task fk_task_evaluation_evaluation; Type: FK CONSTRAINT; Schema: adjudge; Owner: -
--

ALTER TABLE ONLY adjudge.task
    ADD CONSTRAINT fk_task_evaluation_evaluation FOREIGN KEY (evaluation) REFERENCES adjudge.evaluation(name);


--
-- Name: task fk_task_person_evaluation_assessor; Type: FK CONSTRAINT; Schema: adjudge; Owner: -
--

ALTER TABLE ONLY adjudge.task
    ADD CONSTRAINT fk_task_person_evaluation_assessor FOREIGN KEY (evaluation, assessor) REFERENCES adjudge.person(evaluation, id) ON UPDATE CASCADE;


--
-- Name: task fk_task_person_evaluation_lease_by; Type: FK CONSTRAINT; Schema: adjudge; Owner: -
--

ALTER TABLE ONLY adjudge.task
    ADD CONSTRAINT fk_task_person_evaluation_lease_by FOREIGN KEY (evaluation, lease_by) REFERENCES adjudge.person(evaluation, id) ON UPDATE CASCADE;


--
-- PostgreSQL database dump complete
--

\unrestrict 0dNgeVOvoorgfN5YskpAFetj0Hat9mvgtGTNGJWKl4WLom89ZgRZqcgQfSrx4Tp

