create database shop default character set utf8mb4 collate utf8mb4_general_ci
use shop
create table t (id int not null auto_increment primary key, name varchar(20) default 'x', ts timestamp null, d decimal(10,2) not null default 1.5, b blob, key(name), unique key u(d,name(5))) comment='hello'
create table h (a int, b varchar(10) character set latin1)
create table kinds (a tinyint unsigned not null, b bigint unsigned zerofill, c float, d double(8,3), e char(3) collate utf8mb4_bin, f text, g binary(4) default 'ab', h varbinary(9) not null default 'xyz', i date, j time(3), k datetime(6) default current_timestamp(6) on update current_timestamp(6), l timestamp not null default current_timestamp, m mediumblob, n longtext character set ascii, unique key (a), key ek (e, i) comment 'two', unique key (b))
create table nopk (a int not null, b int not null, c int, unique key (c), unique key ab (a, b))
insert into t (name) values ('a'), ('b')
insert into h values (1, 'x')
create database empty_one default character set utf8mb4 collate utf8mb4_general_ci
create user 'u1'@'%' identified with mysql_native_password
create user 'u2'@'localhost' identified with mysql_native_password account lock
grant select, insert on shop.* to 'u1'@'%'
grant all on empty_one.* to 'u1'@'%' with grant option
grant update on shop.t to 'u2'@'localhost'
show databases like 'sh%'
show databases where `database` in ('shop', 'empty_one')
show databases where `database` = 'x' and y = 1
show schemas like 'EMPTY%'
show tables
show tables like 't%'
show tables like 'T'
show full tables like 't%'
show tables where tables_in_shop = 't'
show tables from empty_one
show tables from nodb
show columns from t
show full columns from t
show fields from kinds
show full columns from kinds
show columns from nopk
show columns from t like 'N%'
show columns from t where `null` = 'YES'
describe t
describe t name
desc t 'n%'
explain h
show columns from nope
show columns from nodb.nope
show columns from shop.h
show columns from h from shop
h show index from t
show index from t where key_name = 'nope'
show keys from h
h show indexes from kinds
show index from nodb.x
show index from nope
show create table t
show create table h
show create table kinds
show create table nope
show create table nodb.nope
show create view t
show create view nope
show create view nodb.nope
show create database shop
show create database if not exists shop
show create schema empty_one
show create database nodb
h show table status like 't'
h show table status
show table status from nodb
show table status like 'nope'
h show open tables
show open tables from nodb
show triggers
show triggers from nodb
show triggers like 't%'
show events
show procedure status where db = 'shop'
show function status where db = 'shop'
s show grants for u1
show grants for u2@localhost
show grants for nobody
show create user u1
show create user u2@localhost
show create user nobody
h show engines
h show storage engines
h show plugins
h show privileges
h show character set like 'utf8mb4'
show charset like 'latin1'
show character set where charset = 'binary'
show collation like 'utf8mb4_gen%'
show collation where id in (8, 63, 83)
h show processlist
h show full processlist
h show master status
h show binary logs
h show master logs
h show binlog events limit 1
show binlog events in 'nope'
show replicas
show slave hosts
show replica status
show slave status
show relaylog events
show profiles
h show engine innodb status
h show engine innodb mutex
show engine nope status
show variables like 'autocommit'
show variables where variable_name = 'lower_case_table_names' or value = 'nothing has this value'
show global variables like 'autocommi_'
show session variables like 'no such thing'
show variables where value = 1 and nope = 2
h show status like 'uptime'
show status where variable_name = 'Prepared_stmt_count'
h show global status
select 1/0
show warnings
show count(*) warnings
drop table if exists nope, nope2
show warnings
show warnings limit 1
show warnings limit 1, 5
show count(*) warnings
show errors
select * from nope
show warnings
show errors
show count(*) errors
select * from information_schema.nope
select count(*) from INFORMATION_SCHEMA.schemata where SCHEMA_NAME = 'shop'
select table_name, TABLE_schema x from information_schema.tables where table_schema = 'shop' order by 1
select TABLE_CATALOG, TABLE_SCHEMA, TABLE_NAME, TABLE_TYPE, ENGINE, VERSION, ROW_FORMAT, TABLE_COLLATION, CREATE_OPTIONS, TABLE_COMMENT from information_schema.Tables where table_schema = 'shop' order by table_name
select engine, table_type from INFORMATION_SCHEMA.TABLES where table_schema = DATABASE() and table_name = 't'
select auto_increment from information_schema.tables where table_schema = 'nodb'
select * from information_schema.columns where table_schema = 'shop' order by table_name, ordinal_position
select column_name, extra, generation_expression, data_type from information_schema.columns where table_schema = database() and table_name = 't' order by ordinal_position
select table_name, non_unique, index_name, seq_in_index, column_name, collation, sub_part, packed, nullable, index_type, comment, index_comment, is_visible, expression from information_schema.statistics where table_schema = 'shop' order by table_name, index_name, seq_in_index
select * from information_schema.key_column_usage where table_schema = 'shop' order by table_name, constraint_name, ordinal_position
select * from information_schema.table_constraints where table_schema = 'shop' order by table_name, constraint_name
select * from information_schema.schemata where schema_name = 'shop' or schema_name = 'information_schema' order by schema_name
s select * from information_schema.user_privileges where grantee like '%u_%@%' and grantee not like '%mysql%' and grantee not like '%root%'
s select * from information_schema.schema_privileges where table_schema in ('shop', 'empty_one')
s select * from information_schema.table_privileges where table_schema = 'shop'
select * from information_schema.column_privileges where table_schema = 'shop'
select table_schema, table_name, partition_name, partition_method, partition_comment, nodegroup, tablespace_name from information_schema.partitions where table_schema = 'shop' order by table_name
select * from information_schema.collation_character_set_applicability where collation_name = 'latin1_bin'
select * from information_schema.collations where collation_name = 'utf8mb4_bin'
select * from information_schema.triggers where trigger_schema = 'shop'
select * from information_schema.routines where routine_schema = 'shop'
select * from information_schema.views where table_schema = 'shop'
select * from information_schema.events
select * from information_schema.referential_constraints
select * from information_schema.parameters where specific_schema = 'shop'
select * from information_schema.check_constraints
select * from information_schema.column_statistics
select Host, User, Select_priv, Grant_priv, plugin, authentication_string, account_locked from mysql.user where user like 'u_' order by user
select Host, Db, User, Select_priv, Insert_priv, Update_priv, Grant_priv, Trigger_priv from mysql.db where user = 'u1' order by db
select Host, Db, User, Table_name, Table_priv, Column_priv from mysql.tables_priv where user = 'u2'
select variable_name, variable_value from performance_schema.session_variables where variable_name = 'autocommit'
select variable_value from performance_schema.global_variables where variable_name = 'lower_case_table_names'
check table t
check table t, nope
check table t extended
check table nodb.x
analyze table t, nope
optimize table t
repair table t
analyze no_write_to_binlog table t
checksum table t quick
h checksum table t, h
checksum table nope
show warnings
show tables from information_schema like 'ENGINES'
show full tables from information_schema like 'ENGINES'
show columns from information_schema.engines
show index from information_schema.engines
h show table status from information_schema like 'ENGINES'
use information_schema
select database()
show full tables like 'SCHEMATA'
use nodb
drop database shop
drop database empty_one
drop user u1
drop user u2@localhost
