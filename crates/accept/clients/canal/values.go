package main

import (
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"math"
	"strings"

	"github.com/go-mysql-org/go-mysql/schema"
)

// wholeMax is how many bytes are written whole.
const wholeMax = 256

// text makes a value text; nil stays nil.
func text(column *schema.TableColumn, value any) (*string, error) {
	var shown string
	switch value := value.(type) {
	case nil:
		return nil, nil
	case int64:
		shown = labels(column, value)
	case int, int8, int16, int32, uint8, uint16, uint32, uint64:
		shown = fmt.Sprint(value)
	case float32:
		shown = fmt.Sprintf("%08x", math.Float32bits(value))
	case float64:
		shown = fmt.Sprintf("%016x", math.Float64bits(value))
	case string:
		shown = characters(column, value)
	case []byte:
		shown = characters(column, string(value))
	default:
		return nil, fmt.Errorf("%s is a %T", column.Name, value)
	}
	return &shown, nil
}

// labels shows the number of an ENUM or SET as its labels, any other as itself.
func labels(column *schema.TableColumn, value int64) string {
	switch {
	case column.Type == schema.TYPE_ENUM && value > 0:
		return column.EnumValues[value-1]
	case column.Type == schema.TYPE_SET:
		var chosen []string
		for place, name := range column.SetValues {
			if value>>place&1 != 0 {
				chosen = append(chosen, name)
			}
		}
		return strings.Join(chosen, ",")
	default:
		return fmt.Sprint(value)
	}
}

func characters(column *schema.TableColumn, value string) string {
	bytes := strings.Contains(column.RawType, "binary") || strings.Contains(column.RawType, "blob")
	switch {
	case column.Type == schema.TYPE_TIME || column.Type == schema.TYPE_DATETIME || column.Type == schema.TYPE_TIMESTAMP:
		if strings.Contains(value, ".") {
			return strings.TrimSuffix(strings.TrimRight(value, "0"), ".")
		}
		return value
	case column.Type == schema.TYPE_JSON:
		return strings.ReplaceAll(value, " ", "")
	case len(value) > wholeMax:
		return fmt.Sprintf("#%d:%08x", len(value), crc32.ChecksumIEEE([]byte(value)))
	case bytes:
		return "x" + hex.EncodeToString([]byte(value))
	default:
		return value
	}
}
