--
-- PostgreSQL database dump
--

\restrict bEBH7TCxUk8hxK3gaXRW1DnBy69pscQS0Fw90j8NmaNemSy4Ejp8eh49M0UDjPK

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
-- Name: alembic_version; Type: TABLE; Schema: adjudge; Owner: -
--

CREATE TABLE adjudge.alembic_version (
    version_num character varying(32) NOT NULL
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
    lease_by text COLLATE pg_catalog."C"
);


--
-- Data for Name: alembic_version; Type: TABLE DATA; Schema: adjudge; Owner: -
--

INSERT INTO adjudge.alembic_version VALUES ('0001');


--
-- Data for Name: evaluation; Type: TABLE DATA; Schema: adjudge; Owner: -
--

INSERT INTO adjudge.evaluation VALUES ('fixture', 8);


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

INSERT INTO adjudge.person VALUES ('fixture', 'ann', 'Ann Öster', 'p-one', NULL);
INSERT INTO adjudge.person VALUES ('fixture', 'bob', 'Bob O''Neil', 'p-two', NULL);
INSERT INTO adjudge.person VALUES ('fixture', 'cem', NULL, 'p-three', NULL);


--
-- Data for Name: task; Type: TABLE DATA; Schema: adjudge; Owner: -
--

INSERT INTO adjudge.task VALUES ('fixture', 't1', 'ann', 'duc-2002', '1', 'D1', 'sys-1', 100, 'ref-A', NULL, NULL, NULL, '{"peer": "ab", "reference": "cd"}', 3, NULL, NULL, NULL, NULL);
INSERT INTO adjudge.task VALUES ('fixture', 't3', 'bob', 'preference', '1', 'D2', NULL, NULL, NULL, NULL, '{"system": "sys-1", "length": null}', '{"system": "sys-2", "units": ["u1"]}', '{}', 0, NULL, NULL, NULL, NULL);
INSERT INTO adjudge.task VALUES ('fixture', 't2', 'ann', 'duc-2002', '1', 'D1', 'sys-1', 100, NULL, NULL, NULL, NULL, '{}', 9, 2, 't1', '2024-05-01T13:00:00.000000Z', 'cem');


--
-- Name: alembic_version alembic_version_pkc; Type: CONSTRAINT; Schema: adjudge; Owner: -
--

ALTER TABLE ONLY adjudge.alembic_version
    ADD CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num);


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
-- Name: task pk_task; Type: CONSTRAINT; Schema: adjudge; Owner: -
--

ALTER TABLE ONLY adjudge.task
    ADD CONSTRAINT pk_task PRIMARY KEY (evaluation, id);


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
-- Name: ix_event_task_question_evaluation_assessor_seq; Type: INDEX; Schema: adjudge; Owner: -
--

CREATE INDEX ix_event_task_question_evaluation_assessor_seq ON adjudge.event USING btree (task, question, evaluation, assessor, seq);


--
-- Name: ix_task_evaluation_assessor_position; Type: INDEX; Schema: adjudge; Owner: -
--

CREATE INDEX ix_task_evaluation_assessor_position ON adjudge.task USING btree (evaluation, assessor, "position");


--
-- Name: ix_task_evaluation_topic; Type: INDEX; Schema: adjudge; Owner: -
--

CREATE INDEX ix_task_evaluation_topic ON adjudge.task USING btree (evaluation, topic);


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

\unrestrict bEBH7TCxUk8hxK3gaXRW1DnBy69pscQS0Fw90j8NmaNemSy4Ejp8eh49M0UDjPK

