-- Columns of the virtual tables, as MySQL 8.0.46 has them; ENUM, SET and JSON are texts here.
-- What is not said otherwise is in utf8mb3_general_ci.

-- database information_schema

CREATE TABLE `CHARACTER_SETS` (
  `CHARACTER_SET_NAME` varchar(64) NOT NULL,
  `DEFAULT_COLLATE_NAME` varchar(64) NOT NULL,
  `DESCRIPTION` varchar(2048) NOT NULL,
  `MAXLEN` int unsigned NOT NULL
);
CREATE TABLE `CHECK_CONSTRAINTS` (
  `CONSTRAINT_CATALOG` varchar(64) COLLATE utf8mb3_bin NOT NULL,
  `CONSTRAINT_SCHEMA` varchar(64) COLLATE utf8mb3_bin NOT NULL,
  `CONSTRAINT_NAME` varchar(64) NOT NULL,
  `CHECK_CLAUSE` longtext COLLATE utf8mb3_bin NOT NULL
);
CREATE TABLE `COLLATIONS` (
  `COLLATION_NAME` varchar(64) NOT NULL,
  `CHARACTER_SET_NAME` varchar(64) NOT NULL,
  `ID` bigint unsigned NOT NULL,
  `IS_DEFAULT` varchar(3) NOT NULL,
  `IS_COMPILED` varchar(3) NOT NULL,
  `SORTLEN` int unsigned NOT NULL,
  `PAD_ATTRIBUTE` varchar(9) COLLATE utf8mb3_bin NOT NULL
);
CREATE TABLE `COLLATION_CHARACTER_SET_APPLICABILITY` (
  `COLLATION_NAME` varchar(64) NOT NULL,
  `CHARACTER_SET_NAME` varchar(64) NOT NULL
);
CREATE TABLE `COLUMNS` (
  `TABLE_CATALOG` varchar(64) COLLATE utf8mb3_bin NOT NULL,
  `TABLE_SCHEMA` varchar(64) COLLATE utf8mb3_bin NOT NULL,
  `TABLE_NAME` varchar(64) COLLATE utf8mb3_bin NOT NULL,
  `COLUMN_NAME` varchar(64),
  `ORDINAL_POSITION` int unsigned NOT NULL,
  `COLUMN_DEFAULT` text COLLATE utf8mb3_bin,
  `IS_NULLABLE` varchar(3) NOT NULL,
  `DATA_TYPE` longtext COLLATE utf8mb3_bin,
  `CHARACTER_MAXIMUM_LENGTH` bigint,
  `CHARACTER_OCTET_LENGTH` bigint,
  `NUMERIC_PRECISION` bigint unsigned,
  `NUMERIC_SCALE` bigint unsigned,
  `DATETIME_PRECISION` int unsigned,
  `CHARACTER_SET_NAME` varchar(64),
  `COLLATION_NAME` varchar(64),
  `COLUMN_TYPE` mediumtext COLLATE utf8mb3_bin NOT NULL,
  `COLUMN_KEY` varchar(3) COLLATE utf8mb3_bin NOT NULL,
  `EXTRA` varchar(256),
  `PRIVILEGES` varchar(154),
  `COLUMN_COMMENT` text COLLATE utf8mb3_bin NOT NULL,
  `GENERATION_EXPRESSION` longtext COLLATE utf8mb3_bin NOT NULL,
  `SRS_ID` int unsigned
);
CREATE TABLE `COLUMN_PRIVILEGES` (
  `GRANTEE` varchar(292) NOT NULL,
  `TABLE_CATALOG` varchar(512) NOT NULL,
  `TABLE_SCHEMA` varchar(64) NOT NULL,
  `TABLE_NAME` varchar(64) NOT NULL,
  `COLUMN_NAME` varchar(64) NOT NULL,
  `PRIVILEGE_TYPE` varchar(64) NOT NULL,
  `IS_GRANTABLE` varchar(3) NOT NULL
);
CREATE TABLE `COLUMN_STATISTICS` (
  `SCHEMA_NAME` varchar(64) COLLATE utf8mb3_bin NOT NULL,
  `TABLE_NAME` varchar(64) COLLATE utf8mb3_bin NOT NULL,
  `COLUMN_NAME` varchar(64) NOT NULL,
  `HISTOGRAM` longtext COLLATE utf8mb3_bin NOT NULL
);
CREATE TABLE `ENABLED_ROLES` (
  `ROLE_NAME` varchar(255) CHARACTER SET utf8mb4,
  `ROLE_HOST` varchar(255) CHARACTER SET utf8mb4,
  `IS_DEFAULT` varchar(3),
  `IS_MANDATORY` varchar(3) NOT NULL
);
CREATE TABLE `ENGINES` (
  `ENGINE` varchar(64) NOT NULL,
  `SUPPORT` varchar(8) NOT NULL,
  `COMMENT` varchar(80) NOT NULL,
  `TRANSACTIONS` varchar(3),
  `XA` varchar(3),
  `SAVEPOINTS` varchar(3)
);
CREATE TABLE `EVENTS` (
  `EVENT_CATALOG` varchar(64) COLLATE utf8mb3_bin NOT NULL,
  `EVENT_SCHEMA` varchar(64) COLLATE utf8mb3_bin NOT NULL,
  `EVENT_NAME` varchar(64) NOT NULL,
  `DEFINER` varchar(288) COLLATE utf8mb3_bin NOT NULL,
  `TIME_ZONE` varchar(64) COLLATE utf8mb3_bin NOT NULL,
  `EVENT_BODY` varchar(3) NOT NULL,
  `EVENT_DEFINITION` longtext COLLATE utf8mb3_bin NOT NULL,
  `EVENT_TYPE` varchar(9) NOT NULL,
  `EXECUTE_AT` datetime,
  `INTERVAL_VALUE` varchar(256),
  `INTERVAL_FIELD` varchar(18) COLLATE utf8mb3_bin,
  `SQL_MODE` varchar(521) COLLATE utf8mb3_bin NOT NULL,
  `STARTS` datetime,
  `ENDS` datetime,
  `STATUS` varchar(18) COLLATE utf8mb3_bin NOT NULL,
  `ON_COMPLETION` varchar(12) NOT NULL,
  `CREATED` timestamp NOT NULL,
  `LAST_ALTERED` timestamp NOT NULL,
  `LAST_EXECUTED` datetime,
  `EVENT_COMMENT` varchar(2048) COLLATE utf8mb3_bin NOT NULL,
  `ORIGINATOR` int unsigned NOT NULL,
  `CHARACTER_SET_CLIENT` varchar(64) NOT NULL,
  `COLLATION_CONNECTION` varchar(64) NOT NULL,
  `DATABASE_COLLATION` varchar(64) NOT NULL
);
CREATE TABLE `FILES` (
  `FILE_ID` bigint,
  `FILE_NAME` text COLLATE utf8mb3_bin,
  `FILE_TYPE` varchar(256),
  `TABLESPACE_NAME` varchar(268) COLLATE utf8mb3_bin NOT NULL,
  `TABLE_CATALOG` char(0) NOT NULL,
  `TABLE_SCHEMA` binary(0),
  `TABLE_NAME` binary(0),
  `LOGFILE_GROUP_NAME` varchar(256),
  `LOGFILE_GROUP_NUMBER` bigint,
  `ENGINE` varchar(64) NOT NULL,
  `FULLTEXT_KEYS` binary(0),
  `DELETED_ROWS` binary(0),
  `UPDATE_COUNT` binary(0),
  `FREE_EXTENTS` bigint,
  `TOTAL_EXTENTS` bigint,
  `EXTENT_SIZE` bigint,
  `INITIAL_SIZE` bigint,
  `MAXIMUM_SIZE` bigint,
  `AUTOEXTEND_SIZE` bigint,
  `CREATION_TIME` binary(0),
  `LAST_UPDATE_TIME` binary(0),
  `LAST_ACCESS_TIME` binary(0),
  `RECOVER_TIME` binary(0),
  `TRANSACTION_COUNTER` binary(0),
  `VERSION` bigint,
  `ROW_FORMAT` varchar(256),
  `TABLE_ROWS` binary(0),
  `AVG_ROW_LENGTH` binary(0),
  `DATA_LENGTH` binary(0),
  `MAX_DATA_LENGTH` binary(0),
  `INDEX_LENGTH` binary(0),
  `DATA_FREE` bigint,
  `CREATE_TIME` binary(0),
  `UPDATE_TIME` binary(0),
  `CHECK_TIME` binary(0),
  `CHECKSUM` binary(0),
  `STATUS` varchar(256),
  `EXTRA` varchar(256)
);
CREATE TABLE `INNODB_TRX` (
  `trx_id` bigint unsigned NOT NULL,
  `trx_state` varchar(13) NOT NULL,
  `trx_started` datetime NOT NULL,
  `trx_requested_lock_id` varchar(126),
  `trx_wait_started` datetime,
  `trx_weight` bigint unsigned NOT NULL,
  `trx_mysql_thread_id` bigint unsigned NOT NULL,
  `trx_query` varchar(1024),
  `trx_operation_state` varchar(64),
  `trx_tables_in_use` bigint unsigned NOT NULL,
  `trx_tables_locked` bigint unsigned NOT NULL,
  `trx_lock_structs` bigint unsigned NOT NULL,
  `trx_lock_memory_bytes` bigint unsigned NOT NULL,
  `trx_rows_locked` bigint unsigned NOT NULL,
  `trx_rows_modified` bigint unsigned NOT NULL,
  `trx_concurrency_tickets` bigint unsigned NOT NULL,
  `trx_isolation_level` varchar(16) NOT NULL,
  `trx_unique_checks` int NOT NULL,
  `trx_foreign_key_checks` int NOT NULL,
  `trx_last_foreign_key_error` varchar(256),
  `trx_adaptive_hash_latched` int NOT NULL,
  `trx_adaptive_hash_timeout` bigint unsigned NOT NULL,
  `trx_is_read_only` int NOT NULL,
  `trx_autocommit_non_locking` int NOT NULL,
  `trx_schedule_weight` bigint unsigned
);
CREATE TABLE `KEYWORDS` (
  `WORD` varchar(128) CHARACTER SET utf8mb4,
  `RESERVED` int
);
CREATE TABLE `KEY_COLUMN_USAGE` (
  `CONSTRAINT_CATALOG` varchar(64) COLLATE utf8mb3_bin NOT NULL,
  `CONSTRAINT_SCHEMA` varchar(64) COLLATE utf8mb3_bin NOT NULL,
  `CONSTRAINT_NAME` varchar(64),
  `TABLE_CATALOG` varchar(64) COLLATE utf8mb3_bin NOT NULL,
  `TABLE_SCHEMA` varchar(64) COLLATE utf8mb3_bin NOT NULL,
  `TABLE_NAME` varchar(64) COLLATE utf8mb3_bin NOT NULL,
  `COLUMN_NAME` varchar(64),
  `ORDINAL_POSITION` int unsigned NOT NULL,
  `POSITION_IN_UNIQUE_CONSTRAINT` int unsigned,
  `REFERENCED_TABLE_SCHEMA` varchar(64) COLLATE utf8mb3_bin,
  `REFERENCED_TABLE_NAME` varchar(64) COLLATE utf8mb3_bin,
  `REFERENCED_COLUMN_NAME` varchar(64)
);
CREATE TABLE `PARAMETERS` (
  `SPECIFIC_CATALOG` varchar(64) COLLATE utf8mb3_bin NOT NULL,
  `SPECIFIC_SCHEMA` varchar(64) COLLATE utf8mb3_bin NOT NULL,
  `SPECIFIC_NAME` varchar(64) NOT NULL,
  `ORDINAL_POSITION` bigint unsigned NOT NULL,
  `PARAMETER_MODE` varchar(5) COLLATE utf8mb3_bin,
  `PARAMETER_NAME` varchar(64),
  `DATA_TYPE` longtext COLLATE utf8mb3_bin,
  `CHARACTER_MAXIMUM_LENGTH` bigint,
  `CHARACTER_OCTET_LENGTH` bigint,
  `NUMERIC_PRECISION` bigint unsigned,
  `NUMERIC_SCALE` bigint,
  `DATETIME_PRECISION` int unsigned,
  `CHARACTER_SET_NAME` varchar(64),
  `COLLATION_NAME` varchar(64),
  `DTD_IDENTIFIER` mediumtext COLLATE utf8mb3_bin NOT NULL,
  `ROUTINE_TYPE` varchar(9) COLLATE utf8mb3_bin NOT NULL
);
CREATE TABLE `PARTITIONS` (
  `TABLE_CATALOG` varchar(64) COLLATE utf8mb3_bin NOT NULL,
  `TABLE_SCHEMA` varchar(64) COLLATE utf8mb3_bin NOT NULL,
  `TABLE_NAME` varchar(64) COLLATE utf8mb3_bin NOT NULL,
  `PARTITION_NAME` varchar(64),
  `SUBPARTITION_NAME` varchar(64),
  `PARTITION_ORDINAL_POSITION` int unsigned,
  `SUBPARTITION_ORDINAL_POSITION` int unsigned,
  `PARTITION_METHOD` varchar(13),
  `SUBPARTITION_METHOD` varchar(13),
  `PARTITION_EXPRESSION` varchar(2048) COLLATE utf8mb3_bin,
  `SUBPARTITION_EXPRESSION` varchar(2048) COLLATE utf8mb3_bin,
  `PARTITION_DESCRIPTION` text COLLATE utf8mb3_bin,
  `TABLE_ROWS` bigint unsigned,
  `AVG_ROW_LENGTH` bigint unsigned,
  `DATA_LENGTH` bigint unsigned,
  `MAX_DATA_LENGTH` bigint unsigned,
  `INDEX_LENGTH` bigint unsigned,
  `DATA_FREE` bigint unsigned,
  `CREATE_TIME` timestamp NOT NULL,
  `UPDATE_TIME` datetime,
  `CHECK_TIME` datetime,
  `CHECKSUM` bigint,
  `PARTITION_COMMENT` text COLLATE utf8mb3_bin NOT NULL,
  `NODEGROUP` varchar(256),
  `TABLESPACE_NAME` varchar(268) COLLATE utf8mb3_bin
);
CREATE TABLE `PLUGINS` (
  `PLUGIN_NAME` varchar(64) NOT NULL,
  `PLUGIN_VERSION` varchar(20) NOT NULL,
  `PLUGIN_STATUS` varchar(10) NOT NULL,
  `PLUGIN_TYPE` varchar(80) NOT NULL,
  `PLUGIN_TYPE_VERSION` varchar(20) NOT NULL,
  `PLUGIN_LIBRARY` varchar(64),
  `PLUGIN_LIBRARY_VERSION` varchar(20),
  `PLUGIN_AUTHOR` varchar(64),
  `PLUGIN_DESCRIPTION` mediumtext,
  `PLUGIN_LICENSE` varchar(80),
  `LOAD_OPTION` varchar(64) NOT NULL
);
CREATE TABLE `PROCESSLIST` (
  `ID` bigint unsigned NOT NULL,
  `USER` varchar(32) NOT NULL,
  `HOST` varchar(261) NOT NULL,
  `DB` varchar(64),
  `COMMAND` varchar(16) NOT NULL,
  `TIME` int NOT NULL,
  `STATE` varchar(64),
  `INFO` mediumtext
);
CREATE TABLE `PROFILING` (
  `QUERY_ID` int NOT NULL,
  `SEQ` int NOT NULL,
  `STATE` varchar(30) NOT NULL,
  `DURATION` decimal(9,6) NOT NULL,
  `CPU_USER` decimal(9,6),
  `CPU_SYSTEM` decimal(9,6),
  `CONTEXT_VOLUNTARY` int,
  `CONTEXT_INVOLUNTARY` int,
  `BLOCK_OPS_IN` int,
  `BLOCK_OPS_OUT` int,
  `MESSAGES_SENT` int,
  `MESSAGES_RECEIVED` int,
  `PAGE_FAULTS_MAJOR` int,
  `PAGE_FAULTS_MINOR` int,
  `SWAPS` int,
  `SOURCE_FUNCTION` varchar(30),
  `SOURCE_FILE` varchar(20),
  `SOURCE_LINE` int
);
CREATE TABLE `REFERENTIAL_CONSTRAINTS` (
  `CONSTRAINT_CATALOG` varchar(64) COLLATE utf8mb3_bin NOT NULL,
  `CONSTRAINT_SCHEMA` varchar(64) COLLATE utf8mb3_bin NOT NULL,
  `CONSTRAINT_NAME` varchar(64),
  `UNIQUE_CONSTRAINT_CATALOG` varchar(64) COLLATE utf8mb3_bin NOT NULL,
  `UNIQUE_CONSTRAINT_SCHEMA` varchar(64) COLLATE utf8mb3_bin NOT NULL,
  `UNIQUE_CONSTRAINT_NAME` varchar(64),
  `MATCH_OPTION` varchar(7) COLLATE utf8mb3_bin NOT NULL,
  `UPDATE_RULE` varchar(11) COLLATE utf8mb3_bin NOT NULL,
  `DELETE_RULE` varchar(11) COLLATE utf8mb3_bin NOT NULL,
  `TABLE_NAME` varchar(64) COLLATE utf8mb3_bin NOT NULL,
  `REFERENCED_TABLE_NAME` varchar(64) COLLATE utf8mb3_bin NOT NULL
);
CREATE TABLE `ROUTINES` (
  `SPECIFIC_NAME` varchar(64) NOT NULL,
  `ROUTINE_CATALOG` varchar(64) COLLATE utf8mb3_bin NOT NULL,
  `ROUTINE_SCHEMA` varchar(64) COLLATE utf8mb3_bin NOT NULL,
  `ROUTINE_NAME` varchar(64) NOT NULL,
  `ROUTINE_TYPE` varchar(9) COLLATE utf8mb3_bin NOT NULL,
  `DATA_TYPE` longtext COLLATE utf8mb3_bin,
  `CHARACTER_MAXIMUM_LENGTH` bigint,
  `CHARACTER_OCTET_LENGTH` bigint,
  `NUMERIC_PRECISION` bigint unsigned,
  `NUMERIC_SCALE` bigint unsigned,
  `DATETIME_PRECISION` int unsigned,
  `CHARACTER_SET_NAME` varchar(64),
  `COLLATION_NAME` varchar(64),
  `DTD_IDENTIFIER` longtext COLLATE utf8mb3_bin,
  `ROUTINE_BODY` varchar(3) NOT NULL,
  `ROUTINE_DEFINITION` longtext COLLATE utf8mb3_bin,
  `EXTERNAL_NAME` binary(0),
  `EXTERNAL_LANGUAGE` varchar(64) COLLATE utf8mb3_bin NOT NULL,
  `PARAMETER_STYLE` varchar(3) NOT NULL,
  `IS_DETERMINISTIC` varchar(3) NOT NULL,
  `SQL_DATA_ACCESS` varchar(17) COLLATE utf8mb3_bin NOT NULL,
  `SQL_PATH` binary(0),
  `SECURITY_TYPE` varchar(7) COLLATE utf8mb3_bin NOT NULL,
  `CREATED` timestamp NOT NULL,
  `LAST_ALTERED` timestamp NOT NULL,
  `SQL_MODE` varchar(521) COLLATE utf8mb3_bin NOT NULL,
  `ROUTINE_COMMENT` text COLLATE utf8mb3_bin NOT NULL,
  `DEFINER` varchar(288) COLLATE utf8mb3_bin NOT NULL,
  `CHARACTER_SET_CLIENT` varchar(64) NOT NULL,
  `COLLATION_CONNECTION` varchar(64) NOT NULL,
  `DATABASE_COLLATION` varchar(64) NOT NULL
);
CREATE TABLE `SCHEMATA` (
  `CATALOG_NAME` varchar(64) COLLATE utf8mb3_bin NOT NULL,
  `SCHEMA_NAME` varchar(64) COLLATE utf8mb3_bin NOT NULL,
  `DEFAULT_CHARACTER_SET_NAME` varchar(64) NOT NULL,
  `DEFAULT_COLLATION_NAME` varchar(64) NOT NULL,
  `SQL_PATH` binary(0),
  `DEFAULT_ENCRYPTION` varchar(3) COLLATE utf8mb3_bin NOT NULL
);
CREATE TABLE `SCHEMA_PRIVILEGES` (
  `GRANTEE` varchar(292) NOT NULL,
  `TABLE_CATALOG` varchar(512) NOT NULL,
  `TABLE_SCHEMA` varchar(64) NOT NULL,
  `PRIVILEGE_TYPE` varchar(64) NOT NULL,
  `IS_GRANTABLE` varchar(3) NOT NULL
);
CREATE TABLE `STATISTICS` (
  `TABLE_CATALOG` varchar(64) COLLATE utf8mb3_bin NOT NULL,
  `TABLE_SCHEMA` varchar(64) COLLATE utf8mb3_bin NOT NULL,
  `TABLE_NAME` varchar(64) COLLATE utf8mb3_bin NOT NULL,
  `NON_UNIQUE` int NOT NULL,
  `INDEX_SCHEMA` varchar(64) COLLATE utf8mb3_bin NOT NULL,
  `INDEX_NAME` varchar(64),
  `SEQ_IN_INDEX` int unsigned NOT NULL,
  `COLUMN_NAME` varchar(64),
  `COLLATION` varchar(1),
  `CARDINALITY` bigint,
  `SUB_PART` bigint,
  `PACKED` binary(0),
  `NULLABLE` varchar(3) NOT NULL,
  `INDEX_TYPE` varchar(11) COLLATE utf8mb3_bin NOT NULL,
  `COMMENT` varchar(8) NOT NULL,
  `INDEX_COMMENT` varchar(2048) COLLATE utf8mb3_bin NOT NULL,
  `IS_VISIBLE` varchar(3) NOT NULL,
  `EXPRESSION` longtext COLLATE utf8mb3_bin
);
CREATE TABLE `TABLES` (
  `TABLE_CATALOG` varchar(64) COLLATE utf8mb3_bin NOT NULL,
  `TABLE_SCHEMA` varchar(64) COLLATE utf8mb3_bin NOT NULL,
  `TABLE_NAME` varchar(64) COLLATE utf8mb3_bin NOT NULL,
  `TABLE_TYPE` varchar(11) COLLATE utf8mb3_bin NOT NULL,
  `ENGINE` varchar(64),
  `VERSION` int,
  `ROW_FORMAT` varchar(10) COLLATE utf8mb3_bin,
  `TABLE_ROWS` bigint unsigned,
  `AVG_ROW_LENGTH` bigint unsigned,
  `DATA_LENGTH` bigint unsigned,
  `MAX_DATA_LENGTH` bigint unsigned,
  `INDEX_LENGTH` bigint unsigned,
  `DATA_FREE` bigint unsigned,
  `AUTO_INCREMENT` bigint unsigned,
  `CREATE_TIME` timestamp NOT NULL,
  `UPDATE_TIME` datetime,
  `CHECK_TIME` datetime,
  `TABLE_COLLATION` varchar(64),
  `CHECKSUM` bigint,
  `CREATE_OPTIONS` varchar(256),
  `TABLE_COMMENT` text
);
CREATE TABLE `TABLE_CONSTRAINTS` (
  `CONSTRAINT_CATALOG` varchar(64) COLLATE utf8mb3_bin NOT NULL,
  `CONSTRAINT_SCHEMA` varchar(64) COLLATE utf8mb3_bin NOT NULL,
  `CONSTRAINT_NAME` varchar(64),
  `TABLE_SCHEMA` varchar(64) COLLATE utf8mb3_bin NOT NULL,
  `TABLE_NAME` varchar(64) COLLATE utf8mb3_bin NOT NULL,
  `CONSTRAINT_TYPE` varchar(11) COLLATE utf8mb3_bin NOT NULL,
  `ENFORCED` varchar(3) COLLATE utf8mb3_bin NOT NULL
);
CREATE TABLE `TABLE_PRIVILEGES` (
  `GRANTEE` varchar(292) NOT NULL,
  `TABLE_CATALOG` varchar(512) NOT NULL,
  `TABLE_SCHEMA` varchar(64) NOT NULL,
  `TABLE_NAME` varchar(64) NOT NULL,
  `PRIVILEGE_TYPE` varchar(64) NOT NULL,
  `IS_GRANTABLE` varchar(3) NOT NULL
);
CREATE TABLE `TRIGGERS` (
  `TRIGGER_CATALOG` varchar(64) COLLATE utf8mb3_bin NOT NULL,
  `TRIGGER_SCHEMA` varchar(64) COLLATE utf8mb3_bin NOT NULL,
  `TRIGGER_NAME` varchar(64) NOT NULL,
  `EVENT_MANIPULATION` varchar(6) COLLATE utf8mb3_bin NOT NULL,
  `EVENT_OBJECT_CATALOG` varchar(64) COLLATE utf8mb3_bin NOT NULL,
  `EVENT_OBJECT_SCHEMA` varchar(64) COLLATE utf8mb3_bin NOT NULL,
  `EVENT_OBJECT_TABLE` varchar(64) COLLATE utf8mb3_bin NOT NULL,
  `ACTION_ORDER` int unsigned NOT NULL,
  `ACTION_CONDITION` binary(0),
  `ACTION_STATEMENT` longtext COLLATE utf8mb3_bin NOT NULL,
  `ACTION_ORIENTATION` varchar(3) NOT NULL,
  `ACTION_TIMING` varchar(6) COLLATE utf8mb3_bin NOT NULL,
  `ACTION_REFERENCE_OLD_TABLE` binary(0),
  `ACTION_REFERENCE_NEW_TABLE` binary(0),
  `ACTION_REFERENCE_OLD_ROW` varchar(3) NOT NULL,
  `ACTION_REFERENCE_NEW_ROW` varchar(3) NOT NULL,
  `CREATED` timestamp(2) NOT NULL,
  `SQL_MODE` varchar(521) COLLATE utf8mb3_bin NOT NULL,
  `DEFINER` varchar(288) COLLATE utf8mb3_bin NOT NULL,
  `CHARACTER_SET_CLIENT` varchar(64) NOT NULL,
  `COLLATION_CONNECTION` varchar(64) NOT NULL,
  `DATABASE_COLLATION` varchar(64) NOT NULL
);
CREATE TABLE `USER_ATTRIBUTES` (
  `USER` char(32) COLLATE utf8mb3_bin NOT NULL,
  `HOST` char(255) CHARACTER SET ascii NOT NULL,
  `ATTRIBUTE` longtext CHARACTER SET utf8mb4
);
CREATE TABLE `USER_PRIVILEGES` (
  `GRANTEE` varchar(292) NOT NULL,
  `TABLE_CATALOG` varchar(512) NOT NULL,
  `PRIVILEGE_TYPE` varchar(64) NOT NULL,
  `IS_GRANTABLE` varchar(3) NOT NULL
);
CREATE TABLE `VIEWS` (
  `TABLE_CATALOG` varchar(64) COLLATE utf8mb3_bin NOT NULL,
  `TABLE_SCHEMA` varchar(64) COLLATE utf8mb3_bin NOT NULL,
  `TABLE_NAME` varchar(64) COLLATE utf8mb3_bin NOT NULL,
  `VIEW_DEFINITION` longtext COLLATE utf8mb3_bin,
  `CHECK_OPTION` varchar(8) COLLATE utf8mb3_bin,
  `IS_UPDATABLE` varchar(3) COLLATE utf8mb3_bin,
  `DEFINER` varchar(288) COLLATE utf8mb3_bin,
  `SECURITY_TYPE` varchar(7) COLLATE utf8mb3_bin,
  `CHARACTER_SET_CLIENT` varchar(64) NOT NULL,
  `COLLATION_CONNECTION` varchar(64) NOT NULL
);
CREATE TABLE `VIEW_ROUTINE_USAGE` (
  `TABLE_CATALOG` varchar(64) COLLATE utf8mb3_bin NOT NULL,
  `TABLE_SCHEMA` varchar(64) COLLATE utf8mb3_bin NOT NULL,
  `TABLE_NAME` varchar(64) COLLATE utf8mb3_bin NOT NULL,
  `SPECIFIC_CATALOG` varchar(64) COLLATE utf8mb3_bin NOT NULL,
  `SPECIFIC_SCHEMA` varchar(64) COLLATE utf8mb3_bin NOT NULL,
  `SPECIFIC_NAME` varchar(64) NOT NULL
);
CREATE TABLE `VIEW_TABLE_USAGE` (
  `VIEW_CATALOG` varchar(64) COLLATE utf8mb3_bin NOT NULL,
  `VIEW_SCHEMA` varchar(64) COLLATE utf8mb3_bin NOT NULL,
  `VIEW_NAME` varchar(64) COLLATE utf8mb3_bin NOT NULL,
  `TABLE_CATALOG` varchar(64) COLLATE utf8mb3_bin NOT NULL,
  `TABLE_SCHEMA` varchar(64) COLLATE utf8mb3_bin NOT NULL,
  `TABLE_NAME` varchar(64) COLLATE utf8mb3_bin NOT NULL
);

CREATE TABLE `ADMINISTRABLE_ROLE_AUTHORIZATIONS` (
  `USER` varchar(97),
  `HOST` varchar(256),
  `GRANTEE` varchar(97) CHARACTER SET utf8mb4,
  `GRANTEE_HOST` varchar(256) CHARACTER SET utf8mb4,
  `ROLE_NAME` varchar(255) CHARACTER SET utf8mb4,
  `ROLE_HOST` varchar(256) CHARACTER SET utf8mb4,
  `IS_GRANTABLE` varchar(3) NOT NULL,
  `IS_DEFAULT` varchar(3),
  `IS_MANDATORY` varchar(3) NOT NULL
);
CREATE TABLE `APPLICABLE_ROLES` (
  `USER` varchar(97),
  `HOST` varchar(256),
  `GRANTEE` varchar(97) CHARACTER SET utf8mb4,
  `GRANTEE_HOST` varchar(256) CHARACTER SET utf8mb4,
  `ROLE_NAME` varchar(255) CHARACTER SET utf8mb4,
  `ROLE_HOST` varchar(256) CHARACTER SET utf8mb4,
  `IS_GRANTABLE` varchar(3) NOT NULL,
  `IS_DEFAULT` varchar(3),
  `IS_MANDATORY` varchar(3) NOT NULL
);
CREATE TABLE `COLUMNS_EXTENSIONS` (
  `TABLE_CATALOG` varchar(64) COLLATE utf8mb3_bin NOT NULL,
  `TABLE_SCHEMA` varchar(64) COLLATE utf8mb3_bin NOT NULL,
  `TABLE_NAME` varchar(64) COLLATE utf8mb3_bin NOT NULL,
  `COLUMN_NAME` varchar(64),
  `ENGINE_ATTRIBUTE` longtext CHARACTER SET utf8mb4,
  `SECONDARY_ENGINE_ATTRIBUTE` longtext CHARACTER SET utf8mb4
);
CREATE TABLE `INNODB_BUFFER_PAGE` (
  `POOL_ID` bigint unsigned NOT NULL,
  `BLOCK_ID` bigint unsigned NOT NULL,
  `SPACE` bigint unsigned NOT NULL,
  `PAGE_NUMBER` bigint unsigned NOT NULL,
  `PAGE_TYPE` varchar(64),
  `FLUSH_TYPE` bigint unsigned NOT NULL,
  `FIX_COUNT` bigint unsigned NOT NULL,
  `IS_HASHED` varchar(3),
  `NEWEST_MODIFICATION` bigint unsigned NOT NULL,
  `OLDEST_MODIFICATION` bigint unsigned NOT NULL,
  `ACCESS_TIME` bigint unsigned NOT NULL,
  `TABLE_NAME` varchar(1024),
  `INDEX_NAME` varchar(1024),
  `NUMBER_RECORDS` bigint unsigned NOT NULL,
  `DATA_SIZE` bigint unsigned NOT NULL,
  `COMPRESSED_SIZE` bigint unsigned NOT NULL,
  `PAGE_STATE` varchar(64),
  `IO_FIX` varchar(64),
  `IS_OLD` varchar(3),
  `FREE_PAGE_CLOCK` bigint unsigned NOT NULL,
  `IS_STALE` varchar(3)
);
CREATE TABLE `INNODB_BUFFER_PAGE_LRU` (
  `POOL_ID` bigint unsigned NOT NULL,
  `LRU_POSITION` bigint unsigned NOT NULL,
  `SPACE` bigint unsigned NOT NULL,
  `PAGE_NUMBER` bigint unsigned NOT NULL,
  `PAGE_TYPE` varchar(64),
  `FLUSH_TYPE` bigint unsigned NOT NULL,
  `FIX_COUNT` bigint unsigned NOT NULL,
  `IS_HASHED` varchar(3),
  `NEWEST_MODIFICATION` bigint unsigned NOT NULL,
  `OLDEST_MODIFICATION` bigint unsigned NOT NULL,
  `ACCESS_TIME` bigint unsigned NOT NULL,
  `TABLE_NAME` varchar(1024),
  `INDEX_NAME` varchar(1024),
  `NUMBER_RECORDS` bigint unsigned NOT NULL,
  `DATA_SIZE` bigint unsigned NOT NULL,
  `COMPRESSED_SIZE` bigint unsigned NOT NULL,
  `COMPRESSED` varchar(3),
  `IO_FIX` varchar(64),
  `IS_OLD` varchar(3),
  `FREE_PAGE_CLOCK` bigint unsigned NOT NULL
);
CREATE TABLE `INNODB_BUFFER_POOL_STATS` (
  `POOL_ID` bigint unsigned NOT NULL,
  `POOL_SIZE` bigint unsigned NOT NULL,
  `FREE_BUFFERS` bigint unsigned NOT NULL,
  `DATABASE_PAGES` bigint unsigned NOT NULL,
  `OLD_DATABASE_PAGES` bigint unsigned NOT NULL,
  `MODIFIED_DATABASE_PAGES` bigint unsigned NOT NULL,
  `PENDING_DECOMPRESS` bigint unsigned NOT NULL,
  `PENDING_READS` bigint unsigned NOT NULL,
  `PENDING_FLUSH_LRU` bigint unsigned NOT NULL,
  `PENDING_FLUSH_LIST` bigint unsigned NOT NULL,
  `PAGES_MADE_YOUNG` bigint unsigned NOT NULL,
  `PAGES_NOT_MADE_YOUNG` bigint unsigned NOT NULL,
  `PAGES_MADE_YOUNG_RATE` float(12,0) NOT NULL,
  `PAGES_MADE_NOT_YOUNG_RATE` float(12,0) NOT NULL,
  `NUMBER_PAGES_READ` bigint unsigned NOT NULL,
  `NUMBER_PAGES_CREATED` bigint unsigned NOT NULL,
  `NUMBER_PAGES_WRITTEN` bigint unsigned NOT NULL,
  `PAGES_READ_RATE` float(12,0) NOT NULL,
  `PAGES_CREATE_RATE` float(12,0) NOT NULL,
  `PAGES_WRITTEN_RATE` float(12,0) NOT NULL,
  `NUMBER_PAGES_GET` bigint unsigned NOT NULL,
  `HIT_RATE` bigint unsigned NOT NULL,
  `YOUNG_MAKE_PER_THOUSAND_GETS` bigint unsigned NOT NULL,
  `NOT_YOUNG_MAKE_PER_THOUSAND_GETS` bigint unsigned NOT NULL,
  `NUMBER_PAGES_READ_AHEAD` bigint unsigned NOT NULL,
  `NUMBER_READ_AHEAD_EVICTED` bigint unsigned NOT NULL,
  `READ_AHEAD_RATE` float(12,0) NOT NULL,
  `READ_AHEAD_EVICTED_RATE` float(12,0) NOT NULL,
  `LRU_IO_TOTAL` bigint unsigned NOT NULL,
  `LRU_IO_CURRENT` bigint unsigned NOT NULL,
  `UNCOMPRESS_TOTAL` bigint unsigned NOT NULL,
  `UNCOMPRESS_CURRENT` bigint unsigned NOT NULL
);
CREATE TABLE `INNODB_CACHED_INDEXES` (
  `SPACE_ID` int unsigned NOT NULL,
  `INDEX_ID` bigint unsigned NOT NULL,
  `N_CACHED_PAGES` bigint unsigned NOT NULL
);
CREATE TABLE `INNODB_CMP` (
  `page_size` int NOT NULL,
  `compress_ops` int NOT NULL,
  `compress_ops_ok` int NOT NULL,
  `compress_time` int NOT NULL,
  `uncompress_ops` int NOT NULL,
  `uncompress_time` int NOT NULL
);
CREATE TABLE `INNODB_CMPMEM` (
  `page_size` int NOT NULL,
  `buffer_pool_instance` int NOT NULL,
  `pages_used` int NOT NULL,
  `pages_free` int NOT NULL,
  `relocation_ops` bigint NOT NULL,
  `relocation_time` int NOT NULL
);
CREATE TABLE `INNODB_CMPMEM_RESET` (
  `page_size` int NOT NULL,
  `buffer_pool_instance` int NOT NULL,
  `pages_used` int NOT NULL,
  `pages_free` int NOT NULL,
  `relocation_ops` bigint NOT NULL,
  `relocation_time` int NOT NULL
);
CREATE TABLE `INNODB_CMP_PER_INDEX` (
  `database_name` varchar(192) NOT NULL,
  `table_name` varchar(192) NOT NULL,
  `index_name` varchar(192) NOT NULL,
  `compress_ops` int NOT NULL,
  `compress_ops_ok` int NOT NULL,
  `compress_time` int NOT NULL,
  `uncompress_ops` int NOT NULL,
  `uncompress_time` int NOT NULL
);
CREATE TABLE `INNODB_CMP_PER_INDEX_RESET` (
  `database_name` varchar(192) NOT NULL,
  `table_name` varchar(192) NOT NULL,
  `index_name` varchar(192) NOT NULL,
  `compress_ops` int NOT NULL,
  `compress_ops_ok` int NOT NULL,
  `compress_time` int NOT NULL,
  `uncompress_ops` int NOT NULL,
  `uncompress_time` int NOT NULL
);
CREATE TABLE `INNODB_CMP_RESET` (
  `page_size` int NOT NULL,
  `compress_ops` int NOT NULL,
  `compress_ops_ok` int NOT NULL,
  `compress_time` int NOT NULL,
  `uncompress_ops` int NOT NULL,
  `uncompress_time` int NOT NULL
);
CREATE TABLE `INNODB_COLUMNS` (
  `TABLE_ID` bigint unsigned NOT NULL,
  `NAME` varchar(193) NOT NULL,
  `POS` bigint unsigned NOT NULL,
  `MTYPE` int NOT NULL,
  `PRTYPE` int NOT NULL,
  `LEN` int NOT NULL,
  `HAS_DEFAULT` int NOT NULL,
  `DEFAULT_VALUE` text
);
CREATE TABLE `INNODB_DATAFILES` (
  `SPACE` varbinary(256),
  `PATH` varchar(512) COLLATE utf8mb3_bin NOT NULL
);
CREATE TABLE `INNODB_FIELDS` (
  `INDEX_ID` varbinary(256),
  `NAME` varchar(64) NOT NULL,
  `POS` bigint unsigned NOT NULL
);
CREATE TABLE `INNODB_FOREIGN` (
  `ID` varchar(129) COLLATE utf8mb3_bin,
  `FOR_NAME` varchar(129) COLLATE utf8mb3_bin,
  `REF_NAME` varchar(129) COLLATE utf8mb3_bin,
  `N_COLS` bigint NOT NULL,
  `TYPE` bigint unsigned NOT NULL
);
CREATE TABLE `INNODB_FOREIGN_COLS` (
  `ID` varchar(129) COLLATE utf8mb3_bin,
  `FOR_COL_NAME` varchar(64) NOT NULL,
  `REF_COL_NAME` varchar(64) NOT NULL,
  `POS` int unsigned NOT NULL
);
CREATE TABLE `INNODB_FT_BEING_DELETED` (
  `DOC_ID` bigint unsigned NOT NULL
);
CREATE TABLE `INNODB_FT_CONFIG` (
  `KEY` varchar(193) NOT NULL,
  `VALUE` varchar(193) NOT NULL
);
CREATE TABLE `INNODB_FT_DEFAULT_STOPWORD` (
  `value` varchar(18) NOT NULL
);
CREATE TABLE `INNODB_FT_DELETED` (
  `DOC_ID` bigint unsigned NOT NULL
);
CREATE TABLE `INNODB_FT_INDEX_CACHE` (
  `WORD` varchar(337) NOT NULL,
  `FIRST_DOC_ID` bigint unsigned NOT NULL,
  `LAST_DOC_ID` bigint unsigned NOT NULL,
  `DOC_COUNT` bigint unsigned NOT NULL,
  `DOC_ID` bigint unsigned NOT NULL,
  `POSITION` bigint unsigned NOT NULL
);
CREATE TABLE `INNODB_FT_INDEX_TABLE` (
  `WORD` varchar(337) NOT NULL,
  `FIRST_DOC_ID` bigint unsigned NOT NULL,
  `LAST_DOC_ID` bigint unsigned NOT NULL,
  `DOC_COUNT` bigint unsigned NOT NULL,
  `DOC_ID` bigint unsigned NOT NULL,
  `POSITION` bigint unsigned NOT NULL
);
CREATE TABLE `INNODB_INDEXES` (
  `INDEX_ID` bigint unsigned NOT NULL,
  `NAME` varchar(193) NOT NULL,
  `TABLE_ID` bigint unsigned NOT NULL,
  `TYPE` int NOT NULL,
  `N_FIELDS` int NOT NULL,
  `PAGE_NO` int NOT NULL,
  `SPACE` int NOT NULL,
  `MERGE_THRESHOLD` int NOT NULL
);
CREATE TABLE `INNODB_METRICS` (
  `NAME` varchar(193) NOT NULL,
  `SUBSYSTEM` varchar(193) NOT NULL,
  `COUNT` bigint NOT NULL,
  `MAX_COUNT` bigint,
  `MIN_COUNT` bigint,
  `AVG_COUNT` float(12,0),
  `COUNT_RESET` bigint NOT NULL,
  `MAX_COUNT_RESET` bigint,
  `MIN_COUNT_RESET` bigint,
  `AVG_COUNT_RESET` float(12,0),
  `TIME_ENABLED` datetime,
  `TIME_DISABLED` datetime,
  `TIME_ELAPSED` bigint,
  `TIME_RESET` datetime,
  `STATUS` varchar(193) NOT NULL,
  `TYPE` varchar(193) NOT NULL,
  `COMMENT` varchar(193) NOT NULL
);
CREATE TABLE `INNODB_SESSION_TEMP_TABLESPACES` (
  `ID` int unsigned NOT NULL,
  `SPACE` int unsigned NOT NULL,
  `PATH` varchar(4001) NOT NULL,
  `SIZE` bigint unsigned NOT NULL,
  `STATE` varchar(192) NOT NULL,
  `PURPOSE` varchar(192) NOT NULL
);
CREATE TABLE `INNODB_TABLES` (
  `TABLE_ID` bigint unsigned NOT NULL,
  `NAME` varchar(655) NOT NULL,
  `FLAG` int NOT NULL,
  `N_COLS` int NOT NULL,
  `SPACE` bigint NOT NULL,
  `ROW_FORMAT` varchar(12),
  `ZIP_PAGE_SIZE` int unsigned NOT NULL,
  `SPACE_TYPE` varchar(10),
  `INSTANT_COLS` int NOT NULL,
  `TOTAL_ROW_VERSIONS` int NOT NULL
);
CREATE TABLE `INNODB_TABLESPACES` (
  `SPACE` int unsigned NOT NULL,
  `NAME` varchar(655) NOT NULL,
  `FLAG` int unsigned NOT NULL,
  `ROW_FORMAT` varchar(22),
  `PAGE_SIZE` int unsigned NOT NULL,
  `ZIP_PAGE_SIZE` int unsigned NOT NULL,
  `SPACE_TYPE` varchar(10),
  `FS_BLOCK_SIZE` int unsigned NOT NULL,
  `FILE_SIZE` bigint unsigned NOT NULL,
  `ALLOCATED_SIZE` bigint unsigned NOT NULL,
  `AUTOEXTEND_SIZE` bigint unsigned NOT NULL,
  `SERVER_VERSION` varchar(10),
  `SPACE_VERSION` int unsigned NOT NULL,
  `ENCRYPTION` varchar(1),
  `STATE` varchar(10)
);
CREATE TABLE `INNODB_TABLESPACES_BRIEF` (
  `SPACE` varbinary(256),
  `NAME` varchar(268) COLLATE utf8mb3_bin NOT NULL,
  `PATH` varchar(512) COLLATE utf8mb3_bin NOT NULL,
  `FLAG` varbinary(256),
  `SPACE_TYPE` varchar(7) NOT NULL
);
CREATE TABLE `INNODB_TABLESTATS` (
  `TABLE_ID` bigint unsigned NOT NULL,
  `NAME` varchar(193) NOT NULL,
  `STATS_INITIALIZED` varchar(193) NOT NULL,
  `NUM_ROWS` bigint unsigned NOT NULL,
  `CLUST_INDEX_SIZE` bigint unsigned NOT NULL,
  `OTHER_INDEX_SIZE` bigint unsigned NOT NULL,
  `MODIFIED_COUNTER` bigint unsigned NOT NULL,
  `AUTOINC` bigint unsigned NOT NULL,
  `REF_COUNT` int NOT NULL
);
CREATE TABLE `INNODB_TEMP_TABLE_INFO` (
  `TABLE_ID` bigint unsigned NOT NULL,
  `NAME` varchar(64),
  `N_COLS` int unsigned NOT NULL,
  `SPACE` int unsigned NOT NULL
);
CREATE TABLE `INNODB_VIRTUAL` (
  `TABLE_ID` bigint unsigned NOT NULL,
  `POS` int unsigned NOT NULL,
  `BASE_POS` int unsigned NOT NULL
);
CREATE TABLE `OPTIMIZER_TRACE` (
  `QUERY` mediumtext NOT NULL,
  `TRACE` mediumtext NOT NULL,
  `MISSING_BYTES_BEYOND_MAX_MEM_SIZE` int NOT NULL,
  `INSUFFICIENT_PRIVILEGES` tinyint(1) NOT NULL
);
CREATE TABLE `RESOURCE_GROUPS` (
  `RESOURCE_GROUP_NAME` varchar(64) NOT NULL,
  `RESOURCE_GROUP_TYPE` varchar(6) COLLATE utf8mb3_bin NOT NULL,
  `RESOURCE_GROUP_ENABLED` tinyint(1) NOT NULL,
  `VCPU_IDS` blob,
  `THREAD_PRIORITY` int NOT NULL
);
CREATE TABLE `ROLE_COLUMN_GRANTS` (
  `GRANTOR` varchar(97),
  `GRANTOR_HOST` varchar(256),
  `GRANTEE` char(32) COLLATE utf8mb3_bin NOT NULL,
  `GRANTEE_HOST` char(255) CHARACTER SET ascii NOT NULL,
  `TABLE_CATALOG` varchar(3) NOT NULL,
  `TABLE_SCHEMA` char(64) COLLATE utf8mb3_bin NOT NULL,
  `TABLE_NAME` char(64) COLLATE utf8mb3_bin NOT NULL,
  `COLUMN_NAME` char(64) COLLATE utf8mb3_bin NOT NULL,
  `PRIVILEGE_TYPE` varchar(31) NOT NULL,
  `IS_GRANTABLE` varchar(3) NOT NULL
);
CREATE TABLE `ROLE_ROUTINE_GRANTS` (
  `GRANTOR` varchar(97),
  `GRANTOR_HOST` varchar(256),
  `GRANTEE` char(32) COLLATE utf8mb3_bin NOT NULL,
  `GRANTEE_HOST` char(255) CHARACTER SET ascii NOT NULL,
  `SPECIFIC_CATALOG` varchar(3) NOT NULL,
  `SPECIFIC_SCHEMA` char(64) COLLATE utf8mb3_bin NOT NULL,
  `SPECIFIC_NAME` char(64) NOT NULL,
  `ROUTINE_CATALOG` varchar(3) NOT NULL,
  `ROUTINE_SCHEMA` char(64) COLLATE utf8mb3_bin NOT NULL,
  `ROUTINE_NAME` char(64) NOT NULL,
  `PRIVILEGE_TYPE` varchar(27) NOT NULL,
  `IS_GRANTABLE` varchar(3) NOT NULL
);
CREATE TABLE `ROLE_TABLE_GRANTS` (
  `GRANTOR` varchar(97),
  `GRANTOR_HOST` varchar(256),
  `GRANTEE` char(32) COLLATE utf8mb3_bin NOT NULL,
  `GRANTEE_HOST` char(255) CHARACTER SET ascii NOT NULL,
  `TABLE_CATALOG` varchar(3) NOT NULL,
  `TABLE_SCHEMA` char(64) COLLATE utf8mb3_bin NOT NULL,
  `TABLE_NAME` char(64) COLLATE utf8mb3_bin NOT NULL,
  `PRIVILEGE_TYPE` varchar(98) NOT NULL,
  `IS_GRANTABLE` varchar(3) NOT NULL
);
CREATE TABLE `SCHEMATA_EXTENSIONS` (
  `CATALOG_NAME` varchar(64) COLLATE utf8mb3_bin NOT NULL,
  `SCHEMA_NAME` varchar(64) COLLATE utf8mb3_bin NOT NULL,
  `OPTIONS` varchar(256)
);
CREATE TABLE `ST_GEOMETRY_COLUMNS` (
  `TABLE_CATALOG` varchar(64) COLLATE utf8mb3_bin NOT NULL,
  `TABLE_SCHEMA` varchar(64) COLLATE utf8mb3_bin NOT NULL,
  `TABLE_NAME` varchar(64) COLLATE utf8mb3_bin NOT NULL,
  `COLUMN_NAME` varchar(64),
  `SRS_NAME` varchar(80),
  `SRS_ID` int unsigned,
  `GEOMETRY_TYPE_NAME` longtext COLLATE utf8mb3_bin
);
CREATE TABLE `ST_SPATIAL_REFERENCE_SYSTEMS` (
  `SRS_NAME` varchar(80) NOT NULL,
  `SRS_ID` int unsigned NOT NULL,
  `ORGANIZATION` varchar(256),
  `ORGANIZATION_COORDSYS_ID` int unsigned,
  `DEFINITION` varchar(4096) COLLATE utf8mb3_bin NOT NULL,
  `DESCRIPTION` varchar(2048) COLLATE utf8mb3_bin
);
CREATE TABLE `ST_UNITS_OF_MEASURE` (
  `UNIT_NAME` varchar(255) CHARACTER SET utf8mb4,
  `UNIT_TYPE` varchar(7) CHARACTER SET utf8mb4,
  `CONVERSION_FACTOR` double,
  `DESCRIPTION` varchar(255) CHARACTER SET utf8mb4
);
CREATE TABLE `TABLESPACES` (
  `TABLESPACE_NAME` varchar(64) NOT NULL,
  `ENGINE` varchar(64) NOT NULL,
  `TABLESPACE_TYPE` varchar(64),
  `LOGFILE_GROUP_NAME` varchar(64),
  `EXTENT_SIZE` bigint unsigned,
  `AUTOEXTEND_SIZE` bigint unsigned,
  `MAXIMUM_SIZE` bigint unsigned,
  `NODEGROUP_ID` bigint unsigned,
  `TABLESPACE_COMMENT` varchar(2048)
);
CREATE TABLE `TABLESPACES_EXTENSIONS` (
  `TABLESPACE_NAME` varchar(268) COLLATE utf8mb3_bin NOT NULL,
  `ENGINE_ATTRIBUTE` longtext CHARACTER SET utf8mb4
);
CREATE TABLE `TABLES_EXTENSIONS` (
  `TABLE_CATALOG` varchar(64) COLLATE utf8mb3_bin NOT NULL,
  `TABLE_SCHEMA` varchar(64) COLLATE utf8mb3_bin NOT NULL,
  `TABLE_NAME` varchar(64) COLLATE utf8mb3_bin NOT NULL,
  `ENGINE_ATTRIBUTE` longtext CHARACTER SET utf8mb4,
  `SECONDARY_ENGINE_ATTRIBUTE` longtext CHARACTER SET utf8mb4
);
CREATE TABLE `TABLE_CONSTRAINTS_EXTENSIONS` (
  `CONSTRAINT_CATALOG` varchar(64) COLLATE utf8mb3_bin NOT NULL,
  `CONSTRAINT_SCHEMA` varchar(64) COLLATE utf8mb3_bin NOT NULL,
  `CONSTRAINT_NAME` varchar(64) NOT NULL,
  `TABLE_NAME` varchar(64) COLLATE utf8mb3_bin NOT NULL,
  `ENGINE_ATTRIBUTE` longtext CHARACTER SET utf8mb4,
  `SECONDARY_ENGINE_ATTRIBUTE` longtext CHARACTER SET utf8mb4
);

-- database performance_schema

CREATE TABLE `global_variables` (
  `VARIABLE_NAME` varchar(64) CHARACTER SET utf8mb4 NOT NULL,
  `VARIABLE_VALUE` varchar(1024) CHARACTER SET utf8mb4
);
CREATE TABLE `session_variables` (
  `VARIABLE_NAME` varchar(64) CHARACTER SET utf8mb4 NOT NULL,
  `VARIABLE_VALUE` varchar(1024) CHARACTER SET utf8mb4
);
CREATE TABLE `global_status` (
  `VARIABLE_NAME` varchar(64) CHARACTER SET utf8mb4 NOT NULL,
  `VARIABLE_VALUE` varchar(1024) CHARACTER SET utf8mb4
);
CREATE TABLE `session_status` (
  `VARIABLE_NAME` varchar(64) CHARACTER SET utf8mb4 NOT NULL,
  `VARIABLE_VALUE` varchar(1024) CHARACTER SET utf8mb4
);
CREATE TABLE `processlist` (
  `ID` bigint unsigned NOT NULL,
  `USER` varchar(32) CHARACTER SET utf8mb4,
  `HOST` varchar(261) CHARACTER SET ascii,
  `DB` varchar(64) CHARACTER SET utf8mb4,
  `COMMAND` varchar(16) CHARACTER SET utf8mb4,
  `TIME` bigint,
  `STATE` varchar(64) CHARACTER SET utf8mb4,
  `INFO` longtext CHARACTER SET utf8mb4,
  `EXECUTION_ENGINE` varchar(9) CHARACTER SET utf8mb4
);
CREATE TABLE `data_lock_waits` (
  `ENGINE` varchar(32) CHARACTER SET utf8mb4 NOT NULL,
  `REQUESTING_ENGINE_LOCK_ID` varchar(128) CHARACTER SET utf8mb4 NOT NULL,
  `REQUESTING_ENGINE_TRANSACTION_ID` bigint unsigned,
  `REQUESTING_THREAD_ID` bigint unsigned,
  `REQUESTING_EVENT_ID` bigint unsigned,
  `REQUESTING_OBJECT_INSTANCE_BEGIN` bigint unsigned NOT NULL,
  `BLOCKING_ENGINE_LOCK_ID` varchar(128) CHARACTER SET utf8mb4 NOT NULL,
  `BLOCKING_ENGINE_TRANSACTION_ID` bigint unsigned,
  `BLOCKING_THREAD_ID` bigint unsigned,
  `BLOCKING_EVENT_ID` bigint unsigned,
  `BLOCKING_OBJECT_INSTANCE_BEGIN` bigint unsigned NOT NULL
);
CREATE TABLE `data_locks` (
  `ENGINE` varchar(32) CHARACTER SET utf8mb4 NOT NULL,
  `ENGINE_LOCK_ID` varchar(128) CHARACTER SET utf8mb4 NOT NULL,
  `ENGINE_TRANSACTION_ID` bigint unsigned,
  `THREAD_ID` bigint unsigned,
  `EVENT_ID` bigint unsigned,
  `OBJECT_SCHEMA` varchar(64) CHARACTER SET utf8mb4,
  `OBJECT_NAME` varchar(64) CHARACTER SET utf8mb4,
  `PARTITION_NAME` varchar(64) CHARACTER SET utf8mb4,
  `SUBPARTITION_NAME` varchar(64) CHARACTER SET utf8mb4,
  `INDEX_NAME` varchar(64) CHARACTER SET utf8mb4,
  `OBJECT_INSTANCE_BEGIN` bigint unsigned NOT NULL,
  `LOCK_TYPE` varchar(32) CHARACTER SET utf8mb4 NOT NULL,
  `LOCK_MODE` varchar(32) CHARACTER SET utf8mb4 NOT NULL,
  `LOCK_STATUS` varchar(32) CHARACTER SET utf8mb4 NOT NULL,
  `LOCK_DATA` varchar(8192) CHARACTER SET utf8mb4
);
CREATE TABLE `metadata_locks` (
  `OBJECT_TYPE` varchar(64) CHARACTER SET utf8mb4 NOT NULL,
  `OBJECT_SCHEMA` varchar(64) CHARACTER SET utf8mb4,
  `OBJECT_NAME` varchar(64) CHARACTER SET utf8mb4,
  `COLUMN_NAME` varchar(64) CHARACTER SET utf8mb4,
  `OBJECT_INSTANCE_BEGIN` bigint unsigned NOT NULL,
  `LOCK_TYPE` varchar(32) CHARACTER SET utf8mb4 NOT NULL,
  `LOCK_DURATION` varchar(32) CHARACTER SET utf8mb4 NOT NULL,
  `LOCK_STATUS` varchar(32) CHARACTER SET utf8mb4 NOT NULL,
  `SOURCE` varchar(64) CHARACTER SET utf8mb4,
  `OWNER_THREAD_ID` bigint unsigned,
  `OWNER_EVENT_ID` bigint unsigned
);
CREATE TABLE `log_status` (
  `SERVER_UUID` char(36) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `LOCAL` json NOT NULL,
  `REPLICATION` json NOT NULL,
  `STORAGE_ENGINES` json NOT NULL
);
CREATE TABLE `replication_applier_configuration` (
  `CHANNEL_NAME` char(64) CHARACTER SET utf8mb4 NOT NULL,
  `DESIRED_DELAY` int NOT NULL,
  `PRIVILEGE_CHECKS_USER` text COLLATE utf8mb3_bin,
  `REQUIRE_ROW_FORMAT` varchar(3) CHARACTER SET utf8mb4 NOT NULL,
  `REQUIRE_TABLE_PRIMARY_KEY_CHECK` varchar(8) CHARACTER SET utf8mb4 NOT NULL,
  `ASSIGN_GTIDS_TO_ANONYMOUS_TRANSACTIONS_TYPE` varchar(5) CHARACTER SET utf8mb4 NOT NULL,
  `ASSIGN_GTIDS_TO_ANONYMOUS_TRANSACTIONS_VALUE` text COLLATE utf8mb3_bin
);
CREATE TABLE `replication_applier_filters` (
  `CHANNEL_NAME` char(64) CHARACTER SET utf8mb4 NOT NULL,
  `FILTER_NAME` char(64) CHARACTER SET utf8mb4 NOT NULL,
  `FILTER_RULE` longtext CHARACTER SET utf8mb4 NOT NULL,
  `CONFIGURED_BY` varchar(37) CHARACTER SET utf8mb4 NOT NULL,
  `ACTIVE_SINCE` timestamp(6) NOT NULL,
  `COUNTER` bigint unsigned NOT NULL
);
CREATE TABLE `replication_applier_global_filters` (
  `FILTER_NAME` char(64) CHARACTER SET utf8mb4 NOT NULL,
  `FILTER_RULE` longtext CHARACTER SET utf8mb4 NOT NULL,
  `CONFIGURED_BY` varchar(25) CHARACTER SET utf8mb4 NOT NULL,
  `ACTIVE_SINCE` timestamp(6) NOT NULL
);
CREATE TABLE `replication_applier_status` (
  `CHANNEL_NAME` char(64) CHARACTER SET utf8mb4 NOT NULL,
  `SERVICE_STATE` varchar(3) CHARACTER SET utf8mb4 NOT NULL,
  `REMAINING_DELAY` int unsigned,
  `COUNT_TRANSACTIONS_RETRIES` bigint unsigned NOT NULL
);
CREATE TABLE `replication_applier_status_by_coordinator` (
  `CHANNEL_NAME` char(64) CHARACTER SET utf8mb4 NOT NULL,
  `THREAD_ID` bigint unsigned,
  `SERVICE_STATE` varchar(3) CHARACTER SET utf8mb4 NOT NULL,
  `LAST_ERROR_NUMBER` int NOT NULL,
  `LAST_ERROR_MESSAGE` varchar(1024) CHARACTER SET utf8mb4 NOT NULL,
  `LAST_ERROR_TIMESTAMP` timestamp(6) NOT NULL,
  `LAST_PROCESSED_TRANSACTION` char(90) CHARACTER SET utf8mb4,
  `LAST_PROCESSED_TRANSACTION_ORIGINAL_COMMIT_TIMESTAMP` timestamp(6) NOT NULL,
  `LAST_PROCESSED_TRANSACTION_IMMEDIATE_COMMIT_TIMESTAMP` timestamp(6) NOT NULL,
  `LAST_PROCESSED_TRANSACTION_START_BUFFER_TIMESTAMP` timestamp(6) NOT NULL,
  `LAST_PROCESSED_TRANSACTION_END_BUFFER_TIMESTAMP` timestamp(6) NOT NULL,
  `PROCESSING_TRANSACTION` char(90) CHARACTER SET utf8mb4,
  `PROCESSING_TRANSACTION_ORIGINAL_COMMIT_TIMESTAMP` timestamp(6) NOT NULL,
  `PROCESSING_TRANSACTION_IMMEDIATE_COMMIT_TIMESTAMP` timestamp(6) NOT NULL,
  `PROCESSING_TRANSACTION_START_BUFFER_TIMESTAMP` timestamp(6) NOT NULL
);
CREATE TABLE `replication_applier_status_by_worker` (
  `CHANNEL_NAME` char(64) CHARACTER SET utf8mb4 NOT NULL,
  `WORKER_ID` bigint unsigned NOT NULL,
  `THREAD_ID` bigint unsigned,
  `SERVICE_STATE` varchar(3) CHARACTER SET utf8mb4 NOT NULL,
  `LAST_ERROR_NUMBER` int NOT NULL,
  `LAST_ERROR_MESSAGE` varchar(1024) CHARACTER SET utf8mb4 NOT NULL,
  `LAST_ERROR_TIMESTAMP` timestamp(6) NOT NULL,
  `LAST_APPLIED_TRANSACTION` char(90) CHARACTER SET utf8mb4,
  `LAST_APPLIED_TRANSACTION_ORIGINAL_COMMIT_TIMESTAMP` timestamp(6) NOT NULL,
  `LAST_APPLIED_TRANSACTION_IMMEDIATE_COMMIT_TIMESTAMP` timestamp(6) NOT NULL,
  `LAST_APPLIED_TRANSACTION_START_APPLY_TIMESTAMP` timestamp(6) NOT NULL,
  `LAST_APPLIED_TRANSACTION_END_APPLY_TIMESTAMP` timestamp(6) NOT NULL,
  `APPLYING_TRANSACTION` char(90) CHARACTER SET utf8mb4,
  `APPLYING_TRANSACTION_ORIGINAL_COMMIT_TIMESTAMP` timestamp(6) NOT NULL,
  `APPLYING_TRANSACTION_IMMEDIATE_COMMIT_TIMESTAMP` timestamp(6) NOT NULL,
  `APPLYING_TRANSACTION_START_APPLY_TIMESTAMP` timestamp(6) NOT NULL,
  `LAST_APPLIED_TRANSACTION_RETRIES_COUNT` bigint unsigned NOT NULL,
  `LAST_APPLIED_TRANSACTION_LAST_TRANSIENT_ERROR_NUMBER` int NOT NULL,
  `LAST_APPLIED_TRANSACTION_LAST_TRANSIENT_ERROR_MESSAGE` varchar(1024) CHARACTER SET utf8mb4,
  `LAST_APPLIED_TRANSACTION_LAST_TRANSIENT_ERROR_TIMESTAMP` timestamp(6) NOT NULL,
  `APPLYING_TRANSACTION_RETRIES_COUNT` bigint unsigned NOT NULL,
  `APPLYING_TRANSACTION_LAST_TRANSIENT_ERROR_NUMBER` int NOT NULL,
  `APPLYING_TRANSACTION_LAST_TRANSIENT_ERROR_MESSAGE` varchar(1024) CHARACTER SET utf8mb4,
  `APPLYING_TRANSACTION_LAST_TRANSIENT_ERROR_TIMESTAMP` timestamp(6) NOT NULL
);
CREATE TABLE `replication_asynchronous_connection_failover` (
  `CHANNEL_NAME` char(64) CHARACTER SET utf8mb4 NOT NULL,
  `HOST` char(255) CHARACTER SET ascii NOT NULL,
  `PORT` int NOT NULL,
  `NETWORK_NAMESPACE` char(64) CHARACTER SET utf8mb4,
  `WEIGHT` int unsigned NOT NULL,
  `MANAGED_NAME` char(64) CHARACTER SET utf8mb4 NOT NULL
);
CREATE TABLE `replication_asynchronous_connection_failover_managed` (
  `CHANNEL_NAME` char(64) CHARACTER SET utf8mb4 NOT NULL,
  `MANAGED_NAME` char(64) CHARACTER SET utf8mb4 NOT NULL,
  `MANAGED_TYPE` char(64) CHARACTER SET utf8mb4 NOT NULL,
  `CONFIGURATION` longtext CHARACTER SET utf8mb4
);
CREATE TABLE `replication_connection_configuration` (
  `CHANNEL_NAME` char(64) CHARACTER SET utf8mb4 NOT NULL,
  `HOST` char(255) CHARACTER SET ascii NOT NULL,
  `PORT` int NOT NULL,
  `USER` char(32) COLLATE utf8mb4_bin NOT NULL,
  `NETWORK_INTERFACE` char(60) COLLATE utf8mb4_bin NOT NULL,
  `AUTO_POSITION` varchar(1) CHARACTER SET utf8mb4 NOT NULL,
  `SSL_ALLOWED` varchar(7) CHARACTER SET utf8mb4 NOT NULL,
  `SSL_CA_FILE` varchar(512) CHARACTER SET utf8mb4 NOT NULL,
  `SSL_CA_PATH` varchar(512) CHARACTER SET utf8mb4 NOT NULL,
  `SSL_CERTIFICATE` varchar(512) CHARACTER SET utf8mb4 NOT NULL,
  `SSL_CIPHER` varchar(512) CHARACTER SET utf8mb4 NOT NULL,
  `SSL_KEY` varchar(512) CHARACTER SET utf8mb4 NOT NULL,
  `SSL_VERIFY_SERVER_CERTIFICATE` varchar(3) CHARACTER SET utf8mb4 NOT NULL,
  `SSL_CRL_FILE` varchar(255) CHARACTER SET utf8mb4 NOT NULL,
  `SSL_CRL_PATH` varchar(255) CHARACTER SET utf8mb4 NOT NULL,
  `CONNECTION_RETRY_INTERVAL` int NOT NULL,
  `CONNECTION_RETRY_COUNT` bigint unsigned NOT NULL,
  `HEARTBEAT_INTERVAL` double(10,3) NOT NULL,
  `TLS_VERSION` varchar(255) CHARACTER SET utf8mb4 NOT NULL,
  `PUBLIC_KEY_PATH` varchar(512) CHARACTER SET utf8mb4 NOT NULL,
  `GET_PUBLIC_KEY` varchar(3) CHARACTER SET utf8mb4 NOT NULL,
  `NETWORK_NAMESPACE` varchar(64) CHARACTER SET utf8mb4 NOT NULL,
  `COMPRESSION_ALGORITHM` char(64) COLLATE utf8mb4_bin NOT NULL,
  `ZSTD_COMPRESSION_LEVEL` int NOT NULL,
  `TLS_CIPHERSUITES` text COLLATE utf8mb3_bin,
  `SOURCE_CONNECTION_AUTO_FAILOVER` varchar(1) CHARACTER SET utf8mb4 NOT NULL,
  `GTID_ONLY` varchar(1) CHARACTER SET utf8mb4 NOT NULL
);
CREATE TABLE `replication_connection_status` (
  `CHANNEL_NAME` char(64) CHARACTER SET utf8mb4 NOT NULL,
  `GROUP_NAME` char(36) COLLATE utf8mb4_bin NOT NULL,
  `SOURCE_UUID` char(36) COLLATE utf8mb4_bin NOT NULL,
  `THREAD_ID` bigint unsigned,
  `SERVICE_STATE` varchar(10) CHARACTER SET utf8mb4 NOT NULL,
  `COUNT_RECEIVED_HEARTBEATS` bigint unsigned NOT NULL,
  `LAST_HEARTBEAT_TIMESTAMP` timestamp(6) NOT NULL,
  `RECEIVED_TRANSACTION_SET` longtext CHARACTER SET utf8mb4 NOT NULL,
  `LAST_ERROR_NUMBER` int NOT NULL,
  `LAST_ERROR_MESSAGE` varchar(1024) CHARACTER SET utf8mb4 NOT NULL,
  `LAST_ERROR_TIMESTAMP` timestamp(6) NOT NULL,
  `LAST_QUEUED_TRANSACTION` char(90) CHARACTER SET utf8mb4,
  `LAST_QUEUED_TRANSACTION_ORIGINAL_COMMIT_TIMESTAMP` timestamp(6) NOT NULL,
  `LAST_QUEUED_TRANSACTION_IMMEDIATE_COMMIT_TIMESTAMP` timestamp(6) NOT NULL,
  `LAST_QUEUED_TRANSACTION_START_QUEUE_TIMESTAMP` timestamp(6) NOT NULL,
  `LAST_QUEUED_TRANSACTION_END_QUEUE_TIMESTAMP` timestamp(6) NOT NULL,
  `QUEUEING_TRANSACTION` char(90) CHARACTER SET utf8mb4,
  `QUEUEING_TRANSACTION_ORIGINAL_COMMIT_TIMESTAMP` timestamp(6) NOT NULL,
  `QUEUEING_TRANSACTION_IMMEDIATE_COMMIT_TIMESTAMP` timestamp(6) NOT NULL,
  `QUEUEING_TRANSACTION_START_QUEUE_TIMESTAMP` timestamp(6) NOT NULL
);
CREATE TABLE `replication_group_member_stats` (
  `CHANNEL_NAME` char(64) CHARACTER SET utf8mb4 NOT NULL,
  `VIEW_ID` char(60) COLLATE utf8mb4_bin NOT NULL,
  `MEMBER_ID` char(36) COLLATE utf8mb4_bin NOT NULL,
  `COUNT_TRANSACTIONS_IN_QUEUE` bigint unsigned NOT NULL,
  `COUNT_TRANSACTIONS_CHECKED` bigint unsigned NOT NULL,
  `COUNT_CONFLICTS_DETECTED` bigint unsigned NOT NULL,
  `COUNT_TRANSACTIONS_ROWS_VALIDATING` bigint unsigned NOT NULL,
  `TRANSACTIONS_COMMITTED_ALL_MEMBERS` longtext CHARACTER SET utf8mb4 NOT NULL,
  `LAST_CONFLICT_FREE_TRANSACTION` text CHARACTER SET utf8mb4 NOT NULL,
  `COUNT_TRANSACTIONS_REMOTE_IN_APPLIER_QUEUE` bigint unsigned NOT NULL,
  `COUNT_TRANSACTIONS_REMOTE_APPLIED` bigint unsigned NOT NULL,
  `COUNT_TRANSACTIONS_LOCAL_PROPOSED` bigint unsigned NOT NULL,
  `COUNT_TRANSACTIONS_LOCAL_ROLLBACK` bigint unsigned NOT NULL
);
CREATE TABLE `replication_group_members` (
  `CHANNEL_NAME` char(64) CHARACTER SET utf8mb4 NOT NULL,
  `MEMBER_ID` char(36) COLLATE utf8mb4_bin NOT NULL,
  `MEMBER_HOST` char(255) CHARACTER SET ascii NOT NULL,
  `MEMBER_PORT` int,
  `MEMBER_STATE` char(64) COLLATE utf8mb4_bin NOT NULL,
  `MEMBER_ROLE` char(64) COLLATE utf8mb4_bin NOT NULL,
  `MEMBER_VERSION` char(64) COLLATE utf8mb4_bin NOT NULL,
  `MEMBER_COMMUNICATION_STACK` char(64) COLLATE utf8mb4_bin NOT NULL
);
CREATE TABLE `setup_instruments` (
  `NAME` varchar(128) CHARACTER SET utf8mb4 NOT NULL,
  `ENABLED` varchar(3) CHARACTER SET utf8mb4 NOT NULL,
  `TIMED` varchar(3) CHARACTER SET utf8mb4,
  `PROPERTIES` varchar(71) CHARACTER SET utf8mb4 NOT NULL,
  `FLAGS` varchar(10) CHARACTER SET utf8mb4,
  `VOLATILITY` int NOT NULL,
  `DOCUMENTATION` longtext CHARACTER SET utf8mb4
);
CREATE TABLE `threads` (
  `THREAD_ID` bigint unsigned NOT NULL,
  `NAME` varchar(128) CHARACTER SET utf8mb4 NOT NULL,
  `TYPE` varchar(10) CHARACTER SET utf8mb4 NOT NULL,
  `PROCESSLIST_ID` bigint unsigned,
  `PROCESSLIST_USER` varchar(32) CHARACTER SET utf8mb4,
  `PROCESSLIST_HOST` varchar(255) CHARACTER SET ascii,
  `PROCESSLIST_DB` varchar(64) CHARACTER SET utf8mb4,
  `PROCESSLIST_COMMAND` varchar(16) CHARACTER SET utf8mb4,
  `PROCESSLIST_TIME` bigint,
  `PROCESSLIST_STATE` varchar(64) CHARACTER SET utf8mb4,
  `PROCESSLIST_INFO` longtext CHARACTER SET utf8mb4,
  `PARENT_THREAD_ID` bigint unsigned,
  `ROLE` varchar(64) CHARACTER SET utf8mb4,
  `INSTRUMENTED` varchar(3) CHARACTER SET utf8mb4 NOT NULL,
  `HISTORY` varchar(3) CHARACTER SET utf8mb4 NOT NULL,
  `CONNECTION_TYPE` varchar(16) CHARACTER SET utf8mb4,
  `THREAD_OS_ID` bigint unsigned,
  `RESOURCE_GROUP` varchar(64) CHARACTER SET utf8mb4,
  `EXECUTION_ENGINE` varchar(9) CHARACTER SET utf8mb4,
  `CONTROLLED_MEMORY` bigint unsigned NOT NULL,
  `MAX_CONTROLLED_MEMORY` bigint unsigned NOT NULL,
  `TOTAL_MEMORY` bigint unsigned NOT NULL,
  `MAX_TOTAL_MEMORY` bigint unsigned NOT NULL,
  `TELEMETRY_ACTIVE` varchar(3) CHARACTER SET utf8mb4 NOT NULL
);

-- database mysql

CREATE TABLE `user` (
  `Host` char(255) CHARACTER SET ascii NOT NULL,
  `User` char(32) COLLATE utf8mb3_bin NOT NULL,
  `Select_priv` varchar(1) NOT NULL,
  `Insert_priv` varchar(1) NOT NULL,
  `Update_priv` varchar(1) NOT NULL,
  `Delete_priv` varchar(1) NOT NULL,
  `Create_priv` varchar(1) NOT NULL,
  `Drop_priv` varchar(1) NOT NULL,
  `Reload_priv` varchar(1) NOT NULL,
  `Shutdown_priv` varchar(1) NOT NULL,
  `Process_priv` varchar(1) NOT NULL,
  `File_priv` varchar(1) NOT NULL,
  `Grant_priv` varchar(1) NOT NULL,
  `References_priv` varchar(1) NOT NULL,
  `Index_priv` varchar(1) NOT NULL,
  `Alter_priv` varchar(1) NOT NULL,
  `Show_db_priv` varchar(1) NOT NULL,
  `Super_priv` varchar(1) NOT NULL,
  `Create_tmp_table_priv` varchar(1) NOT NULL,
  `Lock_tables_priv` varchar(1) NOT NULL,
  `Execute_priv` varchar(1) NOT NULL,
  `Repl_slave_priv` varchar(1) NOT NULL,
  `Repl_client_priv` varchar(1) NOT NULL,
  `Create_view_priv` varchar(1) NOT NULL,
  `Show_view_priv` varchar(1) NOT NULL,
  `Create_routine_priv` varchar(1) NOT NULL,
  `Alter_routine_priv` varchar(1) NOT NULL,
  `Create_user_priv` varchar(1) NOT NULL,
  `Event_priv` varchar(1) NOT NULL,
  `Trigger_priv` varchar(1) NOT NULL,
  `Create_tablespace_priv` varchar(1) NOT NULL,
  `ssl_type` varchar(9) NOT NULL,
  `ssl_cipher` blob NOT NULL,
  `x509_issuer` blob NOT NULL,
  `x509_subject` blob NOT NULL,
  `max_questions` int unsigned NOT NULL,
  `max_updates` int unsigned NOT NULL,
  `max_connections` int unsigned NOT NULL,
  `max_user_connections` int unsigned NOT NULL,
  `plugin` char(64) COLLATE utf8mb3_bin NOT NULL,
  `authentication_string` text COLLATE utf8mb3_bin,
  `password_expired` varchar(1) NOT NULL,
  `password_last_changed` timestamp,
  `password_lifetime` smallint unsigned,
  `account_locked` varchar(1) NOT NULL,
  `Create_role_priv` varchar(1) NOT NULL,
  `Drop_role_priv` varchar(1) NOT NULL,
  `Password_reuse_history` smallint unsigned,
  `Password_reuse_time` smallint unsigned,
  `Password_require_current` varchar(1),
  `User_attributes` longtext COLLATE utf8mb3_bin
);
CREATE TABLE `db` (
  `Host` char(255) CHARACTER SET ascii NOT NULL,
  `Db` char(64) COLLATE utf8mb3_bin NOT NULL,
  `User` char(32) COLLATE utf8mb3_bin NOT NULL,
  `Select_priv` varchar(1) NOT NULL,
  `Insert_priv` varchar(1) NOT NULL,
  `Update_priv` varchar(1) NOT NULL,
  `Delete_priv` varchar(1) NOT NULL,
  `Create_priv` varchar(1) NOT NULL,
  `Drop_priv` varchar(1) NOT NULL,
  `Grant_priv` varchar(1) NOT NULL,
  `References_priv` varchar(1) NOT NULL,
  `Index_priv` varchar(1) NOT NULL,
  `Alter_priv` varchar(1) NOT NULL,
  `Create_tmp_table_priv` varchar(1) NOT NULL,
  `Lock_tables_priv` varchar(1) NOT NULL,
  `Create_view_priv` varchar(1) NOT NULL,
  `Show_view_priv` varchar(1) NOT NULL,
  `Create_routine_priv` varchar(1) NOT NULL,
  `Alter_routine_priv` varchar(1) NOT NULL,
  `Execute_priv` varchar(1) NOT NULL,
  `Event_priv` varchar(1) NOT NULL,
  `Trigger_priv` varchar(1) NOT NULL
);
CREATE TABLE `tables_priv` (
  `Host` char(255) CHARACTER SET ascii NOT NULL,
  `Db` char(64) COLLATE utf8mb3_bin NOT NULL,
  `User` char(32) COLLATE utf8mb3_bin NOT NULL,
  `Table_name` char(64) COLLATE utf8mb3_bin NOT NULL,
  `Grantor` varchar(288) COLLATE utf8mb3_bin NOT NULL,
  `Timestamp` timestamp NOT NULL,
  `Table_priv` varchar(99) NOT NULL,
  `Column_priv` varchar(32) NOT NULL
);
CREATE TABLE `columns_priv` (
  `Host` char(255) CHARACTER SET ascii NOT NULL,
  `Db` char(64) COLLATE utf8mb3_bin NOT NULL,
  `User` char(32) COLLATE utf8mb3_bin NOT NULL,
  `Table_name` char(64) COLLATE utf8mb3_bin NOT NULL,
  `Column_name` char(64) COLLATE utf8mb3_bin NOT NULL,
  `Timestamp` timestamp NOT NULL,
  `Column_priv` varchar(32) NOT NULL
);
CREATE TABLE `procs_priv` (
  `Host` char(255) CHARACTER SET ascii NOT NULL,
  `Db` char(64) COLLATE utf8mb3_bin NOT NULL,
  `User` char(32) COLLATE utf8mb3_bin NOT NULL,
  `Routine_name` char(64) NOT NULL,
  `Routine_type` varchar(9) COLLATE utf8mb3_bin NOT NULL,
  `Grantor` varchar(288) COLLATE utf8mb3_bin NOT NULL,
  `Proc_priv` varchar(28) NOT NULL,
  `Timestamp` timestamp NOT NULL
);
CREATE TABLE `proxies_priv` (
  `Host` char(255) CHARACTER SET ascii NOT NULL,
  `User` char(32) COLLATE utf8mb3_bin NOT NULL,
  `Proxied_host` char(255) CHARACTER SET ascii NOT NULL,
  `Proxied_user` char(32) COLLATE utf8mb3_bin NOT NULL,
  `With_grant` tinyint(1) NOT NULL,
  `Grantor` varchar(288) COLLATE utf8mb3_bin NOT NULL,
  `Timestamp` timestamp NOT NULL
);
CREATE TABLE `global_grants` (
  `USER` char(32) COLLATE utf8mb3_bin NOT NULL,
  `HOST` char(255) CHARACTER SET ascii NOT NULL,
  `PRIV` char(32) NOT NULL,
  `WITH_GRANT_OPTION` varchar(1) NOT NULL
);
CREATE TABLE `func` (
  `name` char(64) COLLATE utf8mb3_bin NOT NULL,
  `ret` tinyint NOT NULL,
  `dl` char(128) COLLATE utf8mb3_bin NOT NULL,
  `type` varchar(9) NOT NULL
);
CREATE TABLE `plugin` (
  `name` varchar(64) NOT NULL,
  `dl` varchar(128) NOT NULL
);
CREATE TABLE `servers` (
  `Server_name` char(64) NOT NULL,
  `Host` char(255) CHARACTER SET ascii NOT NULL,
  `Db` char(64) NOT NULL,
  `Username` char(64) NOT NULL,
  `Password` char(64) NOT NULL,
  `Port` int NOT NULL,
  `Socket` char(64) NOT NULL,
  `Wrapper` char(64) NOT NULL,
  `Owner` char(64) NOT NULL
);
CREATE TABLE `general_log` (
  `event_time` timestamp(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE CURRENT_TIMESTAMP(6),
  `user_host` mediumtext NOT NULL,
  `thread_id` bigint unsigned NOT NULL,
  `server_id` int unsigned NOT NULL,
  `command_type` varchar(64) NOT NULL,
  `argument` mediumblob NOT NULL
);
CREATE TABLE `slow_log` (
  `start_time` timestamp(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE CURRENT_TIMESTAMP(6),
  `user_host` mediumtext NOT NULL,
  `query_time` time(6) NOT NULL,
  `lock_time` time(6) NOT NULL,
  `rows_sent` int NOT NULL,
  `rows_examined` int NOT NULL,
  `db` varchar(512) NOT NULL,
  `last_insert_id` int NOT NULL,
  `insert_id` int NOT NULL,
  `server_id` int unsigned NOT NULL,
  `sql_text` mediumblob NOT NULL,
  `thread_id` bigint unsigned NOT NULL
);
CREATE TABLE `help_topic` (
  `help_topic_id` int unsigned NOT NULL,
  `name` char(64) NOT NULL,
  `help_category_id` smallint unsigned NOT NULL,
  `description` text NOT NULL,
  `example` text NOT NULL,
  `url` text NOT NULL
);
CREATE TABLE `help_category` (
  `help_category_id` smallint unsigned NOT NULL,
  `name` char(64) NOT NULL,
  `parent_category_id` smallint unsigned,
  `url` text NOT NULL
);
CREATE TABLE `help_keyword` (
  `help_keyword_id` int unsigned NOT NULL,
  `name` char(64) NOT NULL
);
CREATE TABLE `help_relation` (
  `help_topic_id` int unsigned NOT NULL,
  `help_keyword_id` int unsigned NOT NULL
);
CREATE TABLE `time_zone` (
  `Time_zone_id` int unsigned NOT NULL,
  `Use_leap_seconds` varchar(1) NOT NULL
);
CREATE TABLE `time_zone_name` (
  `Name` char(64) NOT NULL,
  `Time_zone_id` int unsigned NOT NULL
);
CREATE TABLE `time_zone_transition` (
  `Time_zone_id` int unsigned NOT NULL,
  `Transition_time` bigint NOT NULL,
  `Transition_type_id` int unsigned NOT NULL
);
CREATE TABLE `time_zone_transition_type` (
  `Time_zone_id` int unsigned NOT NULL,
  `Transition_type_id` int unsigned NOT NULL,
  `Offset` int NOT NULL,
  `Is_DST` tinyint unsigned NOT NULL,
  `Abbreviation` char(8) NOT NULL
);
CREATE TABLE `gtid_executed` (
  `source_uuid` char(36) CHARACTER SET utf8mb4 NOT NULL,
  `interval_start` bigint NOT NULL,
  `interval_end` bigint NOT NULL
);
CREATE TABLE `slave_master_info` (
  `Number_of_lines` int unsigned NOT NULL,
  `Master_log_name` text COLLATE utf8mb3_bin NOT NULL,
  `Master_log_pos` bigint unsigned NOT NULL,
  `Host` varchar(255) CHARACTER SET ascii,
  `User_name` text COLLATE utf8mb3_bin,
  `User_password` text COLLATE utf8mb3_bin,
  `Port` int unsigned NOT NULL,
  `Connect_retry` int unsigned NOT NULL,
  `Enabled_ssl` tinyint(1) NOT NULL,
  `Ssl_ca` text COLLATE utf8mb3_bin,
  `Ssl_capath` text COLLATE utf8mb3_bin,
  `Ssl_cert` text COLLATE utf8mb3_bin,
  `Ssl_cipher` text COLLATE utf8mb3_bin,
  `Ssl_key` text COLLATE utf8mb3_bin,
  `Ssl_verify_server_cert` tinyint(1) NOT NULL,
  `Heartbeat` float NOT NULL,
  `Bind` text COLLATE utf8mb3_bin,
  `Ignored_server_ids` text COLLATE utf8mb3_bin,
  `Uuid` text COLLATE utf8mb3_bin,
  `Retry_count` bigint unsigned NOT NULL,
  `Ssl_crl` text COLLATE utf8mb3_bin,
  `Ssl_crlpath` text COLLATE utf8mb3_bin,
  `Enabled_auto_position` tinyint(1) NOT NULL,
  `Channel_name` varchar(64) NOT NULL,
  `Tls_version` text COLLATE utf8mb3_bin,
  `Public_key_path` text COLLATE utf8mb3_bin,
  `Get_public_key` tinyint(1) NOT NULL,
  `Network_namespace` text COLLATE utf8mb3_bin,
  `Master_compression_algorithm` varchar(64) COLLATE utf8mb3_bin NOT NULL,
  `Master_zstd_compression_level` int unsigned NOT NULL,
  `Tls_ciphersuites` text COLLATE utf8mb3_bin,
  `Source_connection_auto_failover` tinyint(1) NOT NULL,
  `Gtid_only` tinyint(1) NOT NULL
);
CREATE TABLE `slave_relay_log_info` (
  `Number_of_lines` int unsigned NOT NULL,
  `Relay_log_name` text COLLATE utf8mb3_bin,
  `Relay_log_pos` bigint unsigned,
  `Master_log_name` text COLLATE utf8mb3_bin,
  `Master_log_pos` bigint unsigned,
  `Sql_delay` int,
  `Number_of_workers` int unsigned,
  `Id` int unsigned,
  `Channel_name` varchar(64) NOT NULL,
  `Privilege_checks_username` varchar(32) COLLATE utf8mb3_bin,
  `Privilege_checks_hostname` varchar(255) CHARACTER SET ascii,
  `Require_row_format` tinyint(1) NOT NULL,
  `Require_table_primary_key_check` varchar(8) NOT NULL,
  `Assign_gtids_to_anonymous_transactions_type` varchar(5) NOT NULL,
  `Assign_gtids_to_anonymous_transactions_value` text COLLATE utf8mb3_bin
);
CREATE TABLE `default_roles` (
  `HOST` char(255) CHARACTER SET ascii NOT NULL,
  `USER` char(32) COLLATE utf8mb3_bin NOT NULL,
  `DEFAULT_ROLE_HOST` char(255) CHARACTER SET ascii NOT NULL,
  `DEFAULT_ROLE_USER` char(32) COLLATE utf8mb3_bin NOT NULL
);
CREATE TABLE `role_edges` (
  `FROM_HOST` char(255) CHARACTER SET ascii NOT NULL,
  `FROM_USER` char(32) COLLATE utf8mb3_bin NOT NULL,
  `TO_HOST` char(255) CHARACTER SET ascii NOT NULL,
  `TO_USER` char(32) COLLATE utf8mb3_bin NOT NULL,
  `WITH_ADMIN_OPTION` varchar(1) NOT NULL
);
