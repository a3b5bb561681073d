namespace QuickSilver.Protocol.Wire;

/// <summary>How long a message of a timed group is worth asking for. The values are those on the wire.</summary>
internal static class Importance
{
    /// <summary>The group's time to live.</summary>
    public const byte Normal = 0;

    /// <summary>A tenth of it.</summary>
    public const byte Low = 1;

    /// <summary>Three times as long, and no newer message takes the message's place.</summary>
    public const byte High = 2;
}
