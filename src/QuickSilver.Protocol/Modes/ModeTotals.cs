namespace QuickSilver.Protocol.Modes;

/// <summary>What all sessions of modes with engines have delivered in a node's life. Core thread only.</summary>
internal sealed class ModeTotals
{
    /// <summary>Messages delivered, own ones included.</summary>
    public ulong Messages { get; set; }

    /// <summary>Bytes of those messages.</summary>
    public ulong Bytes { get; set; }

    /// <summary>Messages reported lost.</summary>
    public ulong Lost { get; set; }
}
