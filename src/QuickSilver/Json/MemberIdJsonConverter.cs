using System.ComponentModel;
using System.Text.Json;
using System.Text.Json.Serialization;

namespace QuickSilver;

/// <summary>Reads and writes a <see cref="MemberId"/> as text, "10.0.0.5:15001/7", as a value or as the key of a
/// dictionary. The serializer finds it by attribute; stateless, any thread.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class MemberIdJsonConverter : JsonConverter<MemberId>
{
    /// <summary>Reads an id from a string.</summary>
    /// <exception cref="JsonException">The string is not the id of a member.</exception>
    public override MemberId Read(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options)
    {
        string? text = null;
        if (reader.TokenType is JsonTokenType.String or JsonTokenType.PropertyName)
        {
            if (!reader.HasValueSequence && reader.ValueSpan.Length <= MemberId.MostCharacters)
            {
                Span<char> copy = stackalloc char[MemberId.MostCharacters];
                if (MemberId.TryParse(copy[..reader.CopyString(copy)], out MemberId found)) return found;
            }
            text = reader.GetString();
        }
        return MemberId.TryParse(text, out MemberId id)
            ? id
            : throw new JsonException($"'{text}' is no member's id: address:port/incarnation.");
    }

    /// <summary>Writes the id as a string.</summary>
    public override void Write(Utf8JsonWriter writer, MemberId value, JsonSerializerOptions options)
    {
        ArgumentNullException.ThrowIfNull(writer);
        writer.WriteStringValue(value.ToString());
    }

    /// <summary>Reads an id from the key of a dictionary.</summary>
    /// <exception cref="JsonException">The key is not the id of a member.</exception>
    public override MemberId ReadAsPropertyName(
        ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options) =>
        Read(ref reader, typeToConvert, options);

    /// <summary>Writes the id as the key of a dictionary.</summary>
    public override void WriteAsPropertyName(Utf8JsonWriter writer, MemberId value, JsonSerializerOptions options)
    {
        ArgumentNullException.ThrowIfNull(writer);
        writer.WritePropertyName(value.ToString());
    }
}
