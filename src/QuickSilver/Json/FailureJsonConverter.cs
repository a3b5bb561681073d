using System.ComponentModel;
using System.Text.Json;
using System.Text.Json.Serialization;

namespace QuickSilver;

/// <summary>Writes a <see cref="QuickSilverException"/> as JSON: type, code, message, figures, diagnostics, and the
/// messages of its inner exceptions, without stack traces. Write-only. The serializer finds it by attribute; stateless,
/// any thread.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class FailureJsonConverter : JsonConverter<QuickSilverException>
{
    /// <inheritdoc/>
    public override bool CanConvert(Type typeToConvert) => typeof(QuickSilverException).IsAssignableFrom(typeToConvert);

    /// <summary>Not supported: an exception cannot be read from JSON.</summary>
    /// <exception cref="NotSupportedException">Always.</exception>
    public override QuickSilverException Read(
        ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options) =>
        throw new NotSupportedException("An exception is not read from JSON.");

    /// <summary>Writes the exception as an object.</summary>
    public override void Write(Utf8JsonWriter writer, QuickSilverException value, JsonSerializerOptions options)
    {
        ArgumentNullException.ThrowIfNull(writer);
        ArgumentNullException.ThrowIfNull(value);
        writer.WriteStartObject();
        writer.WriteString("Type", value.GetType().Name);
        writer.WriteString("Code", value.Code.ToString());
        writer.WriteNumber("Number", (int)value.Code);
        writer.WriteString("Message", value.Message);
        WriteFigures(writer, value);
        if (value.Diagnostics.Length > 0) writer.WriteString("Diagnostics", value.Diagnostics);
        if (value.InnerException is not null)
        {
            writer.WriteStartArray("Causes");
            for (Exception? cause = value.InnerException; cause is not null; cause = cause.InnerException)
                writer.WriteStringValue($"{cause.GetType().Name}: {cause.Message}");
            writer.WriteEndArray();
        }
        writer.WriteEndObject();
    }

    private static void WriteFigures(Utf8JsonWriter writer, QuickSilverException value)
    {
        switch (value)
        {
            case NodeEvictedException evicted:
                writer.WriteNumber(nameof(evicted.MessagesInDoubt), evicted.MessagesInDoubt);
                break;
            case PayloadTooLargeException tooLarge:
                writer.WriteNumber(nameof(tooLarge.Limit), tooLarge.Limit);
                break;
            case SlowConsumerException slow:
                writer.WriteString(nameof(slow.GroupName), slow.GroupName);
                writer.WriteNumber(nameof(slow.Backlog), slow.Backlog);
                writer.WriteNumber(nameof(slow.LeasedBytes), slow.LeasedBytes);
                break;
        }
    }
}
