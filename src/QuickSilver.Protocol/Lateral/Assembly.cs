using System.Diagnostics;
using QuickSilver.Protocol.Flow.Buffers;

namespace QuickSilver.Protocol.Lateral;

/// <summary>A message of which some fragments have come. Holds a reference to each.</summary>
/// <param name="number">The message's number.</param>
/// <param name="count">Number of its fragments.</param>
internal sealed class Assembly(ulong number, int count)
{
    private readonly Slice[] _parts = new Slice[count];
    private int _got;

    public ulong Number { get; } = number;

    public int Count => _parts.Length;

    /// <summary>Bytes of the fragments that have come.</summary>
    public int Bytes { get; private set; }

    public bool IsComplete => _got == _parts.Length;

    /// <summary>True when a fragment, from 1, has come.</summary>
    public bool Has(uint fragment) => !_parts[fragment - 1].IsEmpty;

    /// <summary>Adds a fragment that has not come yet.</summary>
    public void Add(uint fragment, in Slice bytes)
    {
        Debug.Assert(fragment >= 1 && fragment <= (uint)Count && !Has(fragment), "a fragment is added once");
        bytes.Retain();
        _parts[fragment - 1] = bytes;
        Bytes += bytes.Length;
        _got++;
    }

    /// <summary>Joins all fragments into memory of their length, with one reference for the caller.</summary>
    /// <returns>False when there is no memory for it.</returns>
    public bool TryJoin(BufferPool pool, out Slice whole)
    {
        Debug.Assert(IsComplete, "all fragments are here");
        whole = default;
        if (!pool.TryRent(Math.Max(1, Bytes), BufferOwner.Cache, out Chunk? chunk)) return false;
        int at = 0;
        foreach (Slice part in _parts)
        {
            part.Span.CopyTo(chunk.AsSpan(at, part.Length));
            at += part.Length;
        }
        whole = new Slice(chunk, 0, Bytes);
        return true;
    }

    /// <summary>Releases the fragments.</summary>
    public void Release()
    {
        foreach (Slice part in _parts) part.Release();
        Array.Clear(_parts);
    }
}
