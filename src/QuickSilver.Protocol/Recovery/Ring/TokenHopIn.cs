using QuickSilver.Protocol.Probing;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Recovery.Ring;

/// <summary>Joins the up to twelve datagrams of one hop. Datagrams of two hops are never mixed.</summary>
internal sealed class TokenHopIn(int members, Probes probes)
{
    private readonly byte[][] _parts = [.. Enumerable.Repeat(Array.Empty<byte>(), TokenHop.MaxParts)];
    private readonly int[] _lengths = new int[TokenHop.MaxParts];
    private readonly List<int> _readSkipped = [];
    private TokenHop _current;
    private int _received;
    private byte[] _joined = [];
    private int _joinedLength;

    /// <summary>Members skipped so far in the round of the last whole token; ascending.</summary>
    public List<int> Skipped { get; } = [];

    /// <summary>Receives the list in an acknowledgement, where it has no meaning.</summary>
    public List<int> AckSkipped { get; } = [];

    /// <summary>True when the datagram taken last completed its hop.</summary>
    public bool IsWhole { get; private set; }

    /// <summary>The token's bytes, once whole.</summary>
    public ReadOnlySpan<byte> Bytes => _joined.AsSpan(0, _joinedLength);

    /// <summary>
    /// Reads the hop that a datagram belongs to. Changes nothing else: the hop may not be for this member.
    /// </summary>
    /// <returns>False when the datagram is malformed.</returns>
    public bool TryReadHop(ReadOnlySpan<byte> body, out TokenHop hop, out ReadOnlySpan<byte> part)
    {
        var reader = new WireReader(body);
        hop = TokenHop.Read(ref reader, members, _readSkipped);
        part = reader.ReadBytes(reader.Remaining);
        return !reader.Failed;
    }

    /// <summary>Takes the part of the token in the datagram whose hop was read last.</summary>
    public void Take(in TokenHop hop, ReadOnlySpan<byte> bytes)
    {
        IsWhole = false;
        if (!hop.IsSameHop(_current))
        {
            if (_received != 0 && _received != (1 << _current.Parts) - 1)
                probes.Reached("a part of a hop is missing when the next hop comes");
            _current = hop;
            _received = 0;
        }
        if (_parts[hop.Part].Length < bytes.Length) _parts[hop.Part] = new byte[bytes.Length];
        bytes.CopyTo(_parts[hop.Part]);
        _lengths[hop.Part] = bytes.Length;
        _received |= 1 << hop.Part;
        if (_received != (1 << hop.Parts) - 1) return;
        Join(hop.Parts);
        Skipped.Clear();
        Skipped.AddRange(_readSkipped);
        IsWhole = true;
    }

    private void Join(int parts)
    {
        int total = 0;
        for (int part = 0; part < parts; part++) total += _lengths[part];
        if (_joined.Length < total) _joined = new byte[total];
        _joinedLength = 0;
        for (int part = 0; part < parts; part++)
        {
            _parts[part].AsSpan(0, _lengths[part]).CopyTo(_joined.AsSpan(_joinedLength));
            _joinedLength += _lengths[part];
        }
    }
}
