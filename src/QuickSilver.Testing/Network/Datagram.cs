using System.Diagnostics;
using QuickSilver.Protocol.Security;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Testing.Network;

/// <summary>One datagram under way: its bytes, shared by all receivers of an undamaged multicast, counted and
/// pooled.</summary>
internal sealed class Datagram(byte[] bytes)
{
    private int _references;

    /// <summary>Memory; at least <see cref="Length"/> long.</summary>
    public byte[] Bytes { get; } = bytes;

    /// <summary>Bytes of the datagram.</summary>
    public int Length { get; private set; }

    /// <summary>Index of the node that sent it.</summary>
    public int Source { get; private set; }

    /// <summary>The endpoint that it came from.</summary>
    public NetEndpoint From { get; private set; }

    /// <summary>True for one that was sent by nobody, from an endpoint that is not that of the node it names.</summary>
    public bool IsForged { get; set; }

    /// <summary>What is sealed in it; null when it is not sealed.</summary>
    public byte[]? Plain { get; set; }

    /// <summary>The hash of the gate of a sealed one.</summary>
    public SipHash Gate { get; set; }

    /// <summary>True for a copy that was damaged on the way.</summary>
    public bool IsDamaged { get; private set; }

    /// <summary>The bytes.</summary>
    public ReadOnlySpan<byte> Span => Bytes.AsSpan(0, Length);

    /// <summary>Takes the object into use with one reference.</summary>
    public void Start(int length, int source, NetEndpoint from, bool damaged)
    {
        Length = length;
        Source = source;
        From = from;
        IsForged = false;
        Plain = null;
        IsDamaged = damaged;
        _references = 1;
    }

    /// <summary>Adds a reference.</summary>
    public void Retain() => _references++;

    /// <summary>Gives a reference up.</summary>
    /// <returns>True when it was the last.</returns>
    public bool Release()
    {
        Debug.Assert(_references > 0, "released more often than retained");
        return --_references == 0;
    }
}
