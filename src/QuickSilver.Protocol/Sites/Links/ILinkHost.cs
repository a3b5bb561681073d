using QuickSilver.Protocol.Core;

namespace QuickSilver.Protocol.Sites.Links;

/// <summary>What a link needs of its gateway. Core thread only.</summary>
internal interface ILinkHost
{
    /// <summary>Sends a datagram to the other end. It may be lost.</summary>
    /// <param name="link">The link.</param>
    /// <param name="datagram">Valid during the call.</param>
    void Send(Link link, ReadOnlySpan<byte> datagram);

    /// <summary>Whether the carrier takes more now. One that said no is asked again after <see cref="Link.OnRoom"/>. A
    /// carrier of datagrams always does. Hellos go in any case.</summary>
    bool HasRoom(Link link);

    /// <summary>A record has come, whatever is missing before it.</summary>
    /// <param name="link">The link.</param>
    /// <param name="record">Valid during the call.</param>
    /// <param name="now">The present instant.</param>
    /// <returns>False when it is malformed.</returns>
    bool OnRecord(Link link, ReadOnlySpan<byte> record, Instant now);

    /// <summary>The link is up: records may be offered.</summary>
    void OnUp(Link link, Instant now);

    /// <summary>The link has failed.</summary>
    /// <param name="link">The link.</param>
    /// <param name="failure">Why.</param>
    /// <param name="left">Records that the other end has not acknowledged, in the order in which they were offered. It
    /// may hold some of them.</param>
    /// <param name="now">The present instant.</param>
    void OnFailed(Link link, LinkFailure failure, IReadOnlyList<LinkItem> left, Instant now);
}
