using System.ComponentModel;
using System.Text.Json;
using System.Text.Json.Serialization;

namespace QuickSilver;

/// <summary>Writes a <see cref="Group"/> as the name of its group: what events and messages refer to is no
/// data. Reads nothing, since a handle comes by a join only. Found by the serializer itself; stateless, any thread.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class HandleJsonConverter : JsonConverter<Group>
{
    /// <summary>Not possible.</summary>
    /// <exception cref="NotSupportedException">Always.</exception>
    public override Group Read(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options) =>
        throw new NotSupportedException("A handle on a group is not read from JSON: join the group.");

    /// <summary>Writes the group's name.</summary>
    public override void Write(Utf8JsonWriter writer, Group value, JsonSerializerOptions options)
    {
        ArgumentNullException.ThrowIfNull(writer);
        ArgumentNullException.ThrowIfNull(value);
        writer.WriteStringValue(value.Name);
    }
}
