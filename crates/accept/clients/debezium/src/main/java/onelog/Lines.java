package onelog;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.debezium.engine.DebeziumEngine;
import io.debezium.engine.RecordChangeEvent;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.connect.data.Field;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.source.SourceRecord;

/** Writes changes into a file, a line of JSON each. */
final class Lines implements DebeziumEngine.ChangeConsumer<RecordChangeEvent<SourceRecord>>, AutoCloseable {
    static final String DATABASE = "cdc";
    private static final Map<String, String> OPS =
            Map.of("r", "read", "c", "insert", "u", "update", "d", "delete");

    private final ObjectMapper json = new ObjectMapper();
    private final OutputStream out;
    private final boolean gtids;

    Lines(Path file, boolean gtids) throws IOException {
        this.out = new BufferedOutputStream(
                Files.newOutputStream(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND), 1 << 20);
        this.gtids = gtids;
    }

    @Override
    public void handleBatch(
            List<RecordChangeEvent<SourceRecord>> batch,
            DebeziumEngine.RecordCommitter<RecordChangeEvent<SourceRecord>> committer)
            throws InterruptedException {
        try {
            for (RecordChangeEvent<SourceRecord> event : batch) {
                write(event.record());
                committer.markProcessed(event);
            }
            out.flush();
        } catch (IOException error) {
            throw new IllegalStateException(error);
        }
        committer.markBatchFinished();
    }

    /** Changes of tables and begins and ends of transactions come as well; they are no changes of rows. */
    private void write(SourceRecord record) throws IOException {
        if (record.valueSchema() == null || !record.valueSchema().name().endsWith(".Envelope")) {
            return;
        }
        Struct value = (Struct) record.value();
        Struct source = value.getStruct("source");
        String op = OPS.get(value.getString("op"));
        if (op == null) {
            throw new IllegalStateException("unknown operation: " + value);
        }
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("trx", op.equals("read") ? null : transaction(source, value.getStruct("transaction")));
        line.put("op", op);
        line.put("database", source.getString("db"));
        line.put("table", source.getString("table"));
        line.put("before", image(value.getStruct("before")));
        line.put("after", image(value.getStruct("after")));
        out.write(json.writeValueAsBytes(line));
        out.write('\n');
    }

    /** Without GTIDs {@code file=binlog.000001,pos=4}. XA transactions are none to Debezium. */
    private String transaction(Struct source, Struct transaction) {
        if (gtids) {
            return source.getString("gtid");
        }
        return transaction.getString("id").replace("file=", "").replace(",pos=", ":");
    }

    private static Map<String, String> image(Struct row) {
        if (row == null) {
            return null;
        }
        Map<String, String> image = new LinkedHashMap<>();
        for (Field field : row.schema().fields()) {
            image.put(field.name(), Values.text(field.schema(), row.getWithoutDefault(field.name())));
        }
        return image;
    }

    @Override
    public void close() throws IOException {
        out.close();
    }
}
