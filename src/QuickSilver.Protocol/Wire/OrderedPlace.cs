namespace QuickSilver.Protocol.Wire;

/// <summary>A message's number in one of the groups that it goes to (<see cref="OrderedRecord"/>).</summary>
/// <param name="Group">Counter of the group's id.</param>
/// <param name="Number">The message's number there.</param>
internal readonly record struct OrderedPlace(uint Group, ulong Number)
{
    /// <summary>Reads one.</summary>
    public static OrderedPlace Read(ref WireReader reader) =>
        new((uint)reader.ReadVarint(uint.MaxValue), reader.ReadVarint());
}
