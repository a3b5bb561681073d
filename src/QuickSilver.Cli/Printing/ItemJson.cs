using System.Buffers;
using System.Globalization;
using System.Text;
using System.Text.Json;

namespace QuickSilver.Cli.Printing;

/// <summary>Writes items as JSON. What is not printable ASCII is escaped, so a line of it can do a terminal no
/// harm.</summary>
internal static class ItemJson
{
    /// <summary>An item as one line.</summary>
    public static string ToText(PrintItem item)
    {
        var text = new ArrayBufferWriter<byte>();
        using var json = new Utf8JsonWriter(text);
        Write(json, item);
        json.Flush();
        return Encoding.UTF8.GetString(text.WrittenSpan);
    }

    /// <summary>Writes an item as one object.</summary>
    public static void Write(Utf8JsonWriter writer, PrintItem item)
    {
        writer.WriteStartObject();
        writer.WriteString("type", item.Type);
        foreach ((string name, object? value) in item.Fields)
        {
            writer.WritePropertyName(name);
            Write(writer, value);
        }
        writer.WriteEndObject();
    }

    private static void Write(Utf8JsonWriter writer, object? value)
    {
        switch (value)
        {
            case null:
                writer.WriteNullValue();
                break;
            case string text:
                writer.WriteStringValue(text);
                break;
            case bool truth:
                writer.WriteBooleanValue(truth);
                break;
            case int number:
                writer.WriteNumberValue(number);
                break;
            case long number:
                writer.WriteNumberValue(number);
                break;
            case ulong number:
                writer.WriteNumberValue(number);
                break;
            case double number when double.IsFinite(number):
                writer.WriteNumberValue(Math.Round(number, 6));
                break;
            case TimeSpan duration:
                writer.WriteNumberValue(Math.Round(duration.TotalSeconds, 6));
                break;
            case DateTimeOffset time:
                writer.WriteStringValue(time.UtcDateTime.ToString("O", CultureInfo.InvariantCulture));
                break;
            case IEnumerable<PrintItem> items:
                writer.WriteStartArray();
                foreach (PrintItem item in items) Write(writer, item);
                writer.WriteEndArray();
                break;
            case IEnumerable<string> texts:
                writer.WriteStartArray();
                foreach (string text in texts) writer.WriteStringValue(text);
                writer.WriteEndArray();
                break;
            default:
                writer.WriteStringValue(Convert.ToString(value, CultureInfo.InvariantCulture));
                break;
        }
    }
}
