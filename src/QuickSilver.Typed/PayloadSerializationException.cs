namespace QuickSilver.Typed;

/// <summary>A serializer threw while it wrote a value; nothing was sent. The inner exception is the serializer's.
/// </summary>
public sealed class PayloadSerializationException : Exception
{
    /// <summary>Creates an exception.</summary>
    /// <param name="groupName">Name of the group.</param>
    /// <param name="type">Type of the value.</param>
    /// <param name="inner">The serializer's exception.</param>
    public PayloadSerializationException(string groupName, Type type, Exception inner)
        : base($"A {type?.Name} for group '{groupName}' could not be serialized: {inner?.Message}", inner) =>
        GroupName = groupName;

    /// <summary>Name of the group.</summary>
    public string GroupName { get; }
}
