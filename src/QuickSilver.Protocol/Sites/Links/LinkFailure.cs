namespace QuickSilver.Protocol.Sites.Links;

/// <summary>Why a link has failed.</summary>
internal enum LinkFailure : byte
{
    /// <summary>It was ended here.</summary>
    Closed,

    /// <summary>Nothing came for longer than the missed hellos.</summary>
    Silence,

    /// <summary>The other end began a new connection: it restarted, or saw the link fail.</summary>
    EpochChanged,

    /// <summary>A packet was asked for again and again, and never came.</summary>
    PacketNeverCame,

    /// <summary>The connection that carries it has ended.</summary>
    Disconnected,
}
