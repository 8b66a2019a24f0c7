-- Columns of the results of SHOW and the like, as MySQL 8.0.46 announces them.
-- What is not said otherwise is in utf8mb3_general_ci.

CREATE TABLE `databases` (
  `Database` varchar(64) COLLATE utf8mb3_bin NOT NULL
);
CREATE TABLE `tables` (
  `Tables_in` varchar(64) COLLATE utf8mb3_bin NOT NULL,
  `Table_type` varchar(11) COLLATE utf8mb3_bin NOT NULL
);
CREATE TABLE `table_status` (
  `Name` varchar(64) COLLATE utf8mb3_bin NOT NULL,
  `Engine` varchar(64),
  `Version` int,
  `Row_format` varchar(10),
  `Rows` bigint unsigned,
  `Avg_row_length` bigint unsigned,
  `Data_length` bigint unsigned,
  `Max_data_length` bigint unsigned,
  `Index_length` bigint unsigned,
  `Data_free` bigint unsigned,
  `Auto_increment` bigint unsigned,
  `Create_time` timestamp NOT NULL,
  `Update_time` datetime,
  `Check_time` datetime,
  `Collation` varchar(64),
  `Checksum` bigint,
  `Create_options` varchar(256),
  `Comment` text
);
CREATE TABLE `open_tables` (
  `Database` varchar(64) COLLATE utf8mb3_bin NOT NULL,
  `Table` varchar(64) COLLATE utf8mb3_bin NOT NULL,
  `In_use` bigint NOT NULL,
  `Name_locked` bigint NOT NULL
);
CREATE TABLE `columns` (
  `Field` varchar(64),
  `Type` mediumtext NOT NULL,
  `Collation` varchar(64),
  `Null` varchar(3) NOT NULL,
  `Key` varchar(3) NOT NULL,
  `Default` text,
  `Extra` varchar(256),
  `Privileges` varchar(154),
  `Comment` text NOT NULL
);
CREATE TABLE `index` (
  `Table` varchar(64) COLLATE utf8mb3_bin NOT NULL,
  `Non_unique` int NOT NULL,
  `Key_name` varchar(64),
  `Seq_in_index` int unsigned NOT NULL,
  `Column_name` varchar(64),
  `Collation` varchar(1),
  `Cardinality` bigint,
  `Sub_part` bigint,
  `Packed` varchar(0),
  `Null` varchar(3) NOT NULL,
  `Index_type` varchar(11) NOT NULL,
  `Comment` varchar(8) NOT NULL,
  `Index_comment` varchar(2048) NOT NULL,
  `Visible` varchar(3) NOT NULL,
  `Expression` longtext
);
CREATE TABLE `create_table` (
  `Table` varchar(64) NOT NULL,
  `Create Table` varchar(1024) NOT NULL
);
CREATE TABLE `create_view` (
  `View` varchar(64) NOT NULL,
  `Create View` varchar(1024) NOT NULL,
  `character_set_client` varchar(64) NOT NULL,
  `collation_connection` varchar(64) NOT NULL
);
CREATE TABLE `create_database` (
  `Database` varchar(64) NOT NULL,
  `Create Database` varchar(1024) NOT NULL
);
CREATE TABLE `create_user` (
  `CREATE USER for` varchar(256) NOT NULL
);
CREATE TABLE `engines` (
  `Engine` varchar(64) NOT NULL,
  `Support` varchar(8) NOT NULL,
  `Comment` varchar(80) NOT NULL,
  `Transactions` varchar(3),
  `XA` varchar(3),
  `Savepoints` varchar(3)
);
CREATE TABLE `character_set` (
  `Charset` varchar(64) NOT NULL,
  `Description` varchar(2048) NOT NULL,
  `Default collation` varchar(64) NOT NULL,
  `Maxlen` int unsigned NOT NULL
);
CREATE TABLE `collation` (
  `Collation` varchar(64) NOT NULL,
  `Charset` varchar(64) NOT NULL,
  `Id` bigint unsigned NOT NULL,
  `Default` varchar(3) NOT NULL,
  `Compiled` varchar(3) NOT NULL,
  `Sortlen` int unsigned NOT NULL,
  `Pad_attribute` varchar(9) NOT NULL
);
CREATE TABLE `warnings` (
  `Level` varchar(7) NOT NULL,
  `Code` int unsigned NOT NULL,
  `Message` varchar(512) NOT NULL
);
CREATE TABLE `warning_count` (
  `@@session.warning_count` bigint unsigned
);
CREATE TABLE `error_count` (
  `@@session.error_count` bigint unsigned
);
CREATE TABLE `plugins` (
  `Name` varchar(64) NOT NULL,
  `Status` varchar(10) NOT NULL,
  `Type` varchar(80) NOT NULL,
  `Library` varchar(64),
  `License` varchar(80)
);
CREATE TABLE `privileges` (
  `Privilege` varchar(10) NOT NULL,
  `Context` varchar(15) NOT NULL,
  `Comment` varchar(64) NOT NULL
);
CREATE TABLE `events` (
  `Db` varchar(64) NOT NULL,
  `Name` varchar(64) NOT NULL,
  `Definer` varchar(288) NOT NULL,
  `Time zone` varchar(64) NOT NULL,
  `Type` varchar(9) NOT NULL,
  `Execute at` datetime,
  `Interval value` varchar(256),
  `Interval field` varchar(18),
  `Starts` datetime,
  `Ends` datetime,
  `Status` varchar(18) NOT NULL,
  `Originator` int unsigned NOT NULL,
  `character_set_client` varchar(64) NOT NULL,
  `collation_connection` varchar(64) NOT NULL,
  `Database Collation` varchar(64) NOT NULL
);
CREATE TABLE `triggers` (
  `Trigger` varchar(64) NOT NULL,
  `Event` varchar(6) NOT NULL,
  `Table` varchar(64) NOT NULL,
  `Statement` longtext NOT NULL,
  `Timing` varchar(6) NOT NULL,
  `Created` timestamp(2) NOT NULL,
  `sql_mode` varchar(520) NOT NULL,
  `Definer` varchar(288) NOT NULL,
  `character_set_client` varchar(64) NOT NULL,
  `collation_connection` varchar(64) NOT NULL,
  `Database Collation` varchar(64) NOT NULL
);
CREATE TABLE `routine_status` (
  `Db` varchar(64) NOT NULL,
  `Name` varchar(64) NOT NULL,
  `Type` varchar(9) NOT NULL,
  `Definer` varchar(288) NOT NULL,
  `Modified` timestamp NOT NULL,
  `Created` timestamp NOT NULL,
  `Security_type` varchar(7) NOT NULL,
  `Comment` text NOT NULL,
  `character_set_client` varchar(64) NOT NULL,
  `collation_connection` varchar(64) NOT NULL,
  `Database Collation` varchar(64) NOT NULL
);
CREATE TABLE `variables` (
  `Variable_name` varchar(64) NOT NULL,
  `Value` varchar(1024)
);
CREATE TABLE `processlist` (
  `Id` bigint NOT NULL,
  `User` varchar(32) NOT NULL,
  `Host` varchar(255) NOT NULL,
  `db` varchar(64),
  `Command` varchar(16) NOT NULL,
  `Time` int NOT NULL,
  `State` varchar(30),
  `Info` varchar(100)
);
CREATE TABLE `full_processlist` (
  `Id` bigint NOT NULL,
  `User` varchar(32) NOT NULL,
  `Host` varchar(255) NOT NULL,
  `db` varchar(64),
  `Command` varchar(16) NOT NULL,
  `Time` int NOT NULL,
  `State` varchar(30),
  `Info` longtext
);
CREATE TABLE `grants` (
  `Grants for` varchar(1024) NOT NULL
);
CREATE TABLE `binary_logs` (
  `Log_name` varchar(255) NOT NULL,
  `File_size` bigint unsigned NOT NULL,
  `Encrypted` varchar(3) NOT NULL
);
CREATE TABLE `binary_log_status` (
  `File` varchar(512) NOT NULL,
  `Position` bigint unsigned NOT NULL,
  `Binlog_Do_DB` varchar(255) NOT NULL,
  `Binlog_Ignore_DB` varchar(255) NOT NULL,
  `Executed_Gtid_Set` longtext NOT NULL
);
CREATE TABLE `binlog_events` (
  `Log_name` varchar(20) NOT NULL,
  `Pos` bigint unsigned NOT NULL,
  `Event_type` varchar(20) NOT NULL,
  `Server_id` int unsigned NOT NULL,
  `End_log_pos` bigint unsigned NOT NULL,
  `Info` varchar(20) NOT NULL
);
CREATE TABLE `replicas` (
  `Server_Id` int unsigned NOT NULL,
  `Host` varchar(255) NOT NULL,
  `Port` int unsigned NOT NULL,
  `Source_Id` int unsigned NOT NULL,
  `Replica_UUID` varchar(36) NOT NULL
);
CREATE TABLE `slave_hosts` (
  `Server_id` int unsigned NOT NULL,
  `Host` varchar(255) NOT NULL,
  `Port` int unsigned NOT NULL,
  `Master_id` int unsigned NOT NULL,
  `Slave_UUID` varchar(36) NOT NULL
);
CREATE TABLE `replica_status` (
  `Replica_IO_State` varchar(14) NOT NULL,
  `Source_Host` varchar(256) NOT NULL,
  `Source_User` varchar(97) NOT NULL,
  `Source_Port` int unsigned NOT NULL,
  `Connect_Retry` int unsigned NOT NULL,
  `Source_Log_File` varchar(512) NOT NULL,
  `Read_Source_Log_Pos` bigint unsigned NOT NULL,
  `Relay_Log_File` varchar(512) NOT NULL,
  `Relay_Log_Pos` bigint unsigned NOT NULL,
  `Relay_Source_Log_File` varchar(512) NOT NULL,
  `Replica_IO_Running` varchar(3) NOT NULL,
  `Replica_SQL_Running` varchar(3) NOT NULL,
  `Replicate_Do_DB` varchar(20) NOT NULL,
  `Replicate_Ignore_DB` varchar(20) NOT NULL,
  `Replicate_Do_Table` varchar(20) NOT NULL,
  `Replicate_Ignore_Table` varchar(23) NOT NULL,
  `Replicate_Wild_Do_Table` varchar(24) NOT NULL,
  `Replicate_Wild_Ignore_Table` varchar(28) NOT NULL,
  `Last_Errno` int unsigned NOT NULL,
  `Last_Error` varchar(20) NOT NULL,
  `Skip_Counter` int unsigned NOT NULL,
  `Exec_Source_Log_Pos` bigint unsigned NOT NULL,
  `Relay_Log_Space` bigint unsigned NOT NULL,
  `Until_Condition` varchar(6) NOT NULL,
  `Until_Log_File` varchar(512) NOT NULL,
  `Until_Log_Pos` bigint unsigned NOT NULL,
  `Source_SSL_Allowed` varchar(7) NOT NULL,
  `Source_SSL_CA_File` varchar(512) NOT NULL,
  `Source_SSL_CA_Path` varchar(512) NOT NULL,
  `Source_SSL_Cert` varchar(512) NOT NULL,
  `Source_SSL_Cipher` varchar(512) NOT NULL,
  `Source_SSL_Key` varchar(512) NOT NULL,
  `Seconds_Behind_Source` bigint unsigned NOT NULL,
  `Source_SSL_Verify_Server_Cert` varchar(3) NOT NULL,
  `Last_IO_Errno` int unsigned NOT NULL,
  `Last_IO_Error` varchar(20) NOT NULL,
  `Last_SQL_Errno` int unsigned NOT NULL,
  `Last_SQL_Error` varchar(20) NOT NULL,
  `Replicate_Ignore_Server_Ids` varchar(512) NOT NULL,
  `Source_Server_Id` int unsigned NOT NULL,
  `Source_UUID` varchar(36) NOT NULL,
  `Source_Info_File` varchar(1024) NOT NULL,
  `SQL_Delay` int unsigned NOT NULL,
  `SQL_Remaining_Delay` int unsigned NOT NULL,
  `Replica_SQL_Running_State` varchar(20) NOT NULL,
  `Source_Retry_Count` bigint unsigned NOT NULL,
  `Source_Bind` varchar(256) NOT NULL,
  `Last_IO_Error_Timestamp` varchar(20) NOT NULL,
  `Last_SQL_Error_Timestamp` varchar(20) NOT NULL,
  `Source_SSL_Crl` varchar(512) NOT NULL,
  `Source_SSL_Crlpath` varchar(512) NOT NULL,
  `Retrieved_Gtid_Set` longtext NOT NULL,
  `Executed_Gtid_Set` longtext NOT NULL,
  `Auto_Position` int unsigned NOT NULL,
  `Replicate_Rewrite_DB` varchar(24) NOT NULL,
  `Channel_Name` varchar(192) NOT NULL,
  `Source_TLS_Version` varchar(512) NOT NULL,
  `Source_public_key_path` varchar(512) NOT NULL,
  `Get_Source_public_key` int unsigned NOT NULL,
  `Network_Namespace` varchar(193) NOT NULL
);
CREATE TABLE `slave_status` (
  `Slave_IO_State` varchar(14) NOT NULL,
  `Master_Host` varchar(256) NOT NULL,
  `Master_User` varchar(97) NOT NULL,
  `Master_Port` int unsigned NOT NULL,
  `Connect_Retry` int unsigned NOT NULL,
  `Master_Log_File` varchar(512) NOT NULL,
  `Read_Master_Log_Pos` bigint unsigned NOT NULL,
  `Relay_Log_File` varchar(512) NOT NULL,
  `Relay_Log_Pos` bigint unsigned NOT NULL,
  `Relay_Master_Log_File` varchar(512) NOT NULL,
  `Slave_IO_Running` varchar(3) NOT NULL,
  `Slave_SQL_Running` varchar(3) NOT NULL,
  `Replicate_Do_DB` varchar(20) NOT NULL,
  `Replicate_Ignore_DB` varchar(20) NOT NULL,
  `Replicate_Do_Table` varchar(20) NOT NULL,
  `Replicate_Ignore_Table` varchar(23) NOT NULL,
  `Replicate_Wild_Do_Table` varchar(24) NOT NULL,
  `Replicate_Wild_Ignore_Table` varchar(28) NOT NULL,
  `Last_Errno` int unsigned NOT NULL,
  `Last_Error` varchar(20) NOT NULL,
  `Skip_Counter` int unsigned NOT NULL,
  `Exec_Master_Log_Pos` bigint unsigned NOT NULL,
  `Relay_Log_Space` bigint unsigned NOT NULL,
  `Until_Condition` varchar(6) NOT NULL,
  `Until_Log_File` varchar(512) NOT NULL,
  `Until_Log_Pos` bigint unsigned NOT NULL,
  `Master_SSL_Allowed` varchar(7) NOT NULL,
  `Master_SSL_CA_File` varchar(512) NOT NULL,
  `Master_SSL_CA_Path` varchar(512) NOT NULL,
  `Master_SSL_Cert` varchar(512) NOT NULL,
  `Master_SSL_Cipher` varchar(512) NOT NULL,
  `Master_SSL_Key` varchar(512) NOT NULL,
  `Seconds_Behind_Master` bigint unsigned NOT NULL,
  `Master_SSL_Verify_Server_Cert` varchar(3) NOT NULL,
  `Last_IO_Errno` int unsigned NOT NULL,
  `Last_IO_Error` varchar(20) NOT NULL,
  `Last_SQL_Errno` int unsigned NOT NULL,
  `Last_SQL_Error` varchar(20) NOT NULL,
  `Replicate_Ignore_Server_Ids` varchar(512) NOT NULL,
  `Master_Server_Id` int unsigned NOT NULL,
  `Master_UUID` varchar(36) NOT NULL,
  `Master_Info_File` varchar(1024) NOT NULL,
  `SQL_Delay` int unsigned NOT NULL,
  `SQL_Remaining_Delay` int unsigned NOT NULL,
  `Slave_SQL_Running_State` varchar(20) NOT NULL,
  `Master_Retry_Count` bigint unsigned NOT NULL,
  `Master_Bind` varchar(256) NOT NULL,
  `Last_IO_Error_Timestamp` varchar(20) NOT NULL,
  `Last_SQL_Error_Timestamp` varchar(20) NOT NULL,
  `Master_SSL_Crl` varchar(512) NOT NULL,
  `Master_SSL_Crlpath` varchar(512) NOT NULL,
  `Retrieved_Gtid_Set` longtext NOT NULL,
  `Executed_Gtid_Set` longtext NOT NULL,
  `Auto_Position` int unsigned NOT NULL,
  `Replicate_Rewrite_DB` varchar(24) NOT NULL,
  `Channel_Name` varchar(192) NOT NULL,
  `Master_TLS_Version` varchar(512) NOT NULL,
  `Master_public_key_path` varchar(512) NOT NULL,
  `Get_master_public_key` int unsigned NOT NULL,
  `Network_Namespace` varchar(193) NOT NULL
);
CREATE TABLE `engine_status` (
  `Type` varchar(10) NOT NULL,
  `Name` varchar(512) NOT NULL,
  `Status` varchar(10) NOT NULL
);
CREATE TABLE `profiles` (
  `Query_ID` int unsigned NOT NULL,
  `Duration` double NOT NULL,
  `Query` varchar(40) NOT NULL
);
CREATE TABLE `maintenance` (
  `Table` varchar(128),
  `Op` varchar(10),
  `Msg_type` varchar(10),
  `Msg_text` longtext
);
CREATE TABLE `checksum` (
  `Table` varchar(384),
  `Checksum` bigint
);
CREATE TABLE `help` (
  `name` varchar(64) NOT NULL,
  `description` varchar(1000) NOT NULL,
  `example` varchar(1000) NOT NULL
);
CREATE TABLE `explain` (
  `id` bigint unsigned,
  `select_type` varchar(19) NOT NULL,
  `table` varchar(64),
  `partitions` text,
  `type` varchar(10),
  `possible_keys` varchar(4096),
  `key` varchar(64),
  `key_len` varchar(4096),
  `ref` varchar(2048),
  `rows` bigint unsigned,
  `filtered` double(5,2),
  `Extra` varchar(255)
);
CREATE TABLE `xa_recover` (
  `formatID` bigint NOT NULL,
  `gtrid_length` bigint NOT NULL,
  `bqual_length` bigint NOT NULL,
  `data` varchar(258) NOT NULL
);
