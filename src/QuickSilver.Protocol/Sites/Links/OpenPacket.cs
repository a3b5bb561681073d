using QuickSilver.Protocol.Core;

namespace QuickSilver.Protocol.Sites.Links;

/// <summary>A packet that was sent and is not acknowledged.</summary>
internal struct OpenPacket
{
    /// <summary>What it carries.</summary>
    public LinkItem Item;

    /// <summary>When it was sent last.</summary>
    public Instant SentAt;

    /// <summary>True once it was asked for.</summary>
    public bool WasLost;

    /// <summary>True while it waits to be sent again.</summary>
    public bool IsQueued;

    /// <summary>True when it was sent while the regulator tried a higher rate.</summary>
    public bool WasProbe;
}
