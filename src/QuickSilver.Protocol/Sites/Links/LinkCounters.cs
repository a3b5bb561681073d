using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Sites.Links;

/// <summary>What a link has done since it was made.</summary>
internal sealed class LinkCounters
{
    /// <summary>Packets sent for the first time.</summary>
    public ulong Sent { get; set; }

    /// <summary>Packets sent again.</summary>
    public ulong Resent { get; set; }

    /// <summary>Parities sent.</summary>
    public ulong Parities { get; set; }

    /// <summary>Bytes of datagrams with packets and parities, resends included.</summary>
    public ulong SentBytes { get; set; }

    /// <summary>Packets that came for the first time.</summary>
    public ulong Received { get; set; }

    /// <summary>Packets that came again.</summary>
    public ulong Duplicates { get; set; }

    /// <summary>Packets that were rebuilt from parity.</summary>
    public ulong Rebuilt { get; set; }

    /// <summary>Numbers asked for, repetitions included.</summary>
    public ulong Nacks { get; set; }

    /// <summary>Datagrams with feedback alone.</summary>
    public ulong Acks { get; set; }

    /// <summary>Times that the end of the stream was said again.</summary>
    public ulong Lingers { get; set; }

    /// <summary>Times that the link came up.</summary>
    public ulong Ups { get; set; }

    /// <summary>Times that it failed.</summary>
    public ulong Failures { get; set; }

    /// <summary>Datagrams that were dropped, by reason.</summary>
    public RejectCounters Rejects { get; } = new();
}
