using System.ComponentModel;
using System.Text.Json;
using System.Text.Json.Serialization;

namespace QuickSilver;

/// <summary>Writes a handle, a <see cref="Group"/> or <see cref="GroupSender"/>, as the name of its group: what events and messages refer to is no
/// data. Reads nothing, since a handle comes by a join only. Found by the serializer itself; stateless, any thread.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class HandleJsonConverter : JsonConverter<GroupSender>
{
    /// <inheritdoc/>
    public override bool CanConvert(Type typeToConvert) => typeof(GroupSender).IsAssignableFrom(typeToConvert);

    /// <summary>Not possible.</summary>
    /// <exception cref="NotSupportedException">Always.</exception>
    public override GroupSender Read(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options) =>
        throw new NotSupportedException("A handle on a group is not read from JSON: join the group.");

    /// <summary>Writes the group's name.</summary>
    public override void Write(Utf8JsonWriter writer, GroupSender value, JsonSerializerOptions options)
    {
        ArgumentNullException.ThrowIfNull(writer);
        ArgumentNullException.ThrowIfNull(value);
        writer.WriteStringValue(value.Name);
    }
}
