using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Sites.Gateways;

/// <summary>What a gateway needs of its node. Core thread only.</summary>
internal interface IGatewayHost
{
    /// <summary>Sends a datagram to the gateway of a neighbouring site. It may be lost.</summary>
    void Send(int site, ReadOnlySpan<byte> datagram);

    /// <summary>Whether the carrier of a neighbour's link takes more now (<see cref="Gateway.OnRoom"/>).</summary>
    bool HasRoom(int site) => true;

    /// <summary>The link to a neighbour has failed: its connection, if it has one, is of no further use.</summary>
    void OnLinkFailed(int site)
    {
    }

    /// <summary>A record of another site has come, for the first time.</summary>
    /// <param name="stream">Who sent it, and for which group.</param>
    /// <param name="number">Its number.</param>
    /// <param name="payload">Valid during the call.</param>
    void Deliver(StreamId stream, ulong number, ReadOnlySpan<byte> payload);

    /// <summary>Records will never come: their sender is gone, or this site was cut off.</summary>
    void Lose(StreamId stream, SequenceRange numbers);

    /// <summary>Records were not sent here: this site had no members of their group.</summary>
    void Pass(StreamId stream, SequenceRange numbers);
}
