using System.ComponentModel;
using System.Text.Json;
using System.Text.Json.Serialization;

namespace QuickSilver;

/// <summary>Writes a <see cref="Group"/> as the name of its group, so that events and messages that refer to a handle
/// serialize. Write-only: only a join creates a handle. The serializer finds it by attribute; stateless, any
/// thread.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class HandleJsonConverter : JsonConverter<Group>
{
    /// <summary>Not supported: a handle cannot be read from JSON.</summary>
    /// <exception cref="NotSupportedException">Always.</exception>
    public override Group Read(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options) =>
        throw new NotSupportedException("A handle on a group is not read from JSON: join the group.");

    /// <summary>Writes the name of the group as a string.</summary>
    public override void Write(Utf8JsonWriter writer, Group value, JsonSerializerOptions options)
    {
        ArgumentNullException.ThrowIfNull(writer);
        ArgumentNullException.ThrowIfNull(value);
        writer.WriteStringValue(value.Name);
    }
}
