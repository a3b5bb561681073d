using System.ComponentModel;
using System.Text.Json;
using System.Text.Json.Serialization;

namespace QuickSilver;

/// <summary>Writes a <see cref="MemberId"/> as its text, "10.0.0.5:15001/7", as value or as key of a dictionary, and reads it back. Found by the
/// serializer itself; stateless, any thread.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class MemberIdJsonConverter : JsonConverter<MemberId>
{
    /// <summary>Reads the text.</summary>
    /// <exception cref="JsonException">It names no member.</exception>
    public override MemberId Read(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options)
    {
        string? text = reader.TokenType is JsonTokenType.String or JsonTokenType.PropertyName ? reader.GetString() : null;
        return MemberId.TryParse(text, out MemberId id) ? id : throw new JsonException($"'{text}' is no member's id: address:port/incarnation.");
    }

    /// <summary>Writes the text.</summary>
    public override void Write(Utf8JsonWriter writer, MemberId value, JsonSerializerOptions options)
    {
        ArgumentNullException.ThrowIfNull(writer);
        writer.WriteStringValue(value.ToString());
    }

    /// <summary>Reads the text of a key.</summary>
    /// <exception cref="JsonException">It names no member.</exception>
    public override MemberId ReadAsPropertyName(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options) =>
        Read(ref reader, typeToConvert, options);

    /// <summary>Writes the text as a key.</summary>
    public override void WriteAsPropertyName(Utf8JsonWriter writer, MemberId value, JsonSerializerOptions options)
    {
        ArgumentNullException.ThrowIfNull(writer);
        writer.WritePropertyName(value.ToString());
    }
}
