package onelog;

import io.debezium.embedded.Connect;
import io.debezium.engine.DebeziumEngine;
import io.debezium.engine.RecordChangeEvent;
import io.debezium.engine.format.ChangeEventFormat;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import org.apache.kafka.connect.source.SourceRecord;

/**
 * Debezium's embedded engine follows a server: PORT FILE gtid|position.
 *
 * <p>It appends a line of JSON to FILE for each row of its snapshot and each change of the database {@code cdc}: trx, op,
 * database, table, before, after; values as text, see {@code interop/values.rs}. The engine keeps its place and the
 * history of tables beside FILE. A stop (SIGTERM) keeps place and FILE together; a kill would repeat changes.
 */
public final class Follow {
    private Follow() {}

    public static void main(String[] args) throws Exception {
        Path file = Path.of(args[1]);
        try (Lines lines = new Lines(file, args[2].equals("gtid"))) {
            while (true) {
                Run run = new Run(settings(args[0], file), lines);
                run.await();
                if (run.success || !isAway(run.failure)) {
                    if (run.failure != null) {
                        run.failure.printStackTrace();
                    }
                    break;
                }
                Thread.sleep(200);
            }
        }
        // Not exit: a shutdown hook waits for the engine.
        Runtime.getRuntime().halt(1);
    }

    /** The engine connects again by itself, but not if a packet broke off or there was no server at all. */
    private static boolean isAway(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            boolean lost = cause instanceof SQLException error
                    && error.getSQLState() != null
                    && error.getSQLState().startsWith("08");
            if (lost || cause instanceof IOException || isUnreachable(cause.getMessage())) {
                return true;
            }
        }
        return false;
    }

    /** What an engine says that finds no server when it begins: it keeps the text of the cause alone. */
    private static boolean isUnreachable(String message) {
        return message != null && message.contains("Failed to establish connection with the database");
    }

    /** An engine, from its start to its end. */
    private static final class Run {
        private final DebeziumEngine<RecordChangeEvent<SourceRecord>> engine;
        private final CountDownLatch ended = new CountDownLatch(1);
        private final Thread hook = new Thread(this::stop);
        private boolean success;
        private Throwable failure;

        Run(Properties settings, Lines lines) {
            this.engine = DebeziumEngine.create(ChangeEventFormat.of(Connect.class))
                    .using(settings)
                    .notifying(lines)
                    .using((success, message, failure) -> {
                        System.err.println("engine ended: " + message);
                        this.success = success;
                        this.failure = failure;
                        ended.countDown();
                    })
                    .build();
            Runtime.getRuntime().addShutdownHook(hook);
            new Thread(engine, "engine").start();
        }

        void await() throws InterruptedException {
            ended.await();
            try {
                Runtime.getRuntime().removeShutdownHook(hook);
            } catch (IllegalStateException stopping) {
                // SIGTERM: the hook has stopped the engine, and the process ends when it returns.
                Thread.currentThread().join();
            }
        }

        private void stop() {
            try {
                engine.close();
                ended.await();
            } catch (Exception error) {
                error.printStackTrace();
            }
        }
    }

    private static Properties settings(String port, Path file) {
        Properties settings = new Properties();
        settings.setProperty("name", "onelog");
        settings.setProperty("connector.class", "io.debezium.connector.mysql.MySqlConnector");
        settings.setProperty("topic.prefix", "onelog");
        settings.setProperty("database.hostname", "127.0.0.1");
        settings.setProperty("database.port", port);
        settings.setProperty("database.user", "cdc");
        settings.setProperty("database.password", "");
        settings.setProperty("database.server.id", "4003");
        settings.setProperty("database.include.list", Lines.DATABASE);
        // Its place, written after each batch, and the history of tables.
        settings.setProperty("offset.storage", "org.apache.kafka.connect.storage.FileOffsetBackingStore");
        settings.setProperty("offset.storage.file.filename", file.resolveSibling("offsets").toString());
        settings.setProperty("offset.flush.interval.ms", "0");
        settings.setProperty("schema.history.internal", "io.debezium.storage.file.history.FileSchemaHistory");
        settings.setProperty("schema.history.internal.file.filename", file.resolveSibling("schema-history").toString());
        // So that each change says which transaction it belongs to.
        settings.setProperty("provide.transaction.metadata", "true");
        settings.setProperty("decimal.handling.mode", "string");
        settings.setProperty("bigint.unsigned.handling.mode", "precise");
        settings.setProperty("tombstones.on.delete", "false");
        settings.setProperty("errors.retry.delay.initial.ms", "300");
        settings.setProperty("errors.retry.delay.max.ms", "1000");
        settings.setProperty("errors.max.retries", "-1");
        settings.setProperty("poll.interval.ms", "50");
        return settings;
    }
}
