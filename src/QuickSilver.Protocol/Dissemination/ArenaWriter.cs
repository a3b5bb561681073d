using System.Buffers;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Dissemination;

/// <summary>
/// Where a source writes its message: at a place in a packet, or straight into pooled memory, of which exactly the message's length stays taken. A
/// message that outgrows what was handed out moves to a larger piece, each time at least twice as large.
/// </summary>
/// <param name="arena">Where the memory is cut from; used by this writer only, because trimming needs the slice cut last.</param>
internal sealed class ArenaWriter(Arena arena) : IBufferWriter<byte>
{
    private const int FirstBytes = 512;
    private Slice _slice;
    private int _written;
    private bool _isInPlace;

    /// <summary>Begins a message at a place of the caller's, where it stays if it fits; otherwise it moves to pooled memory.</summary>
    /// <param name="place">May be empty. The reference stays the caller's.</param>
    public void Begin(in Slice place)
    {
        System.Diagnostics.Debug.Assert(_slice.IsEmpty, "the message before was neither finished nor discarded");
        _slice = new Slice(place.Chunk, place.Offset, place.Length);
        _isInPlace = !place.IsEmpty;
    }

    public void Advance(int count)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(count);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(count, _slice.Length - _written);
        _written += count;
    }

    /// <summary>Room for what comes next.</summary>
    /// <exception cref="InvalidOperationException">The message would be longer than any node accepts.</exception>
    public Memory<byte> GetMemory(int sizeHint = 0)
    {
        EnsureRoom(sizeHint);
        return _slice.Chunk!.Array.AsMemory(_slice.Offset + _written, _slice.Length - _written);
    }

    /// <inheritdoc cref="GetMemory"/>
    public Span<byte> GetSpan(int sizeHint = 0)
    {
        EnsureRoom(sizeHint);
        return _slice.Span[_written..];
    }

    /// <summary>Ends the message: its bytes, with one reference that passes to the caller.</summary>
    public Slice Finish()
    {
        System.Diagnostics.Debug.Assert(!_isInPlace, "the memory is not the arena's");
        if (_slice.IsEmpty) _slice = arena.Take(0);
        Slice slice = Trimmed();
        Reset();
        return slice;
    }

    /// <summary>Ends the message if it is still at the place where it began.</summary>
    /// <param name="length">Its length.</param>
    /// <returns>False when it is not: then it waits for <see cref="Finish"/>.</returns>
    public bool TryFinishInPlace(out int length)
    {
        length = _written;
        bool isInPlace = _isInPlace;
        if (isInPlace) Reset();
        return isInPlace;
    }

    /// <summary>Forgets what was written.</summary>
    public void Discard()
    {
        if (_slice.IsEmpty) return;
        _written = 0;
        if (!_isInPlace) Trimmed().Release();
        Reset();
    }

    private Slice Trimmed() => _slice.Chunk!.Array.Length > BufferPool.ChunkBytes ? _slice with { Length = _written } : arena.Trim(_slice, _written);

    private void Reset()
    {
        _slice = default;
        _written = 0;
        _isInPlace = false;
    }

    private void EnsureRoom(int sizeHint)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(sizeHint);
        long needed = _written + (long)Math.Max(1, sizeHint);
        if (needed <= _slice.Length) return;
        if (needed > PacketRecord.MaxMessageBytes) throw new InvalidOperationException($"A message has at most {PacketRecord.MaxMessageBytes} bytes.");
        int wanted = (int)Math.Min(PacketRecord.MaxMessageBytes, Math.Max(needed, Math.Max(FirstBytes, _slice.Length * 2L)));
        Slice larger = arena.Take(wanted);
        _slice.Span[.._written].CopyTo(larger.Span);
        if (!_isInPlace) _slice.Release();
        _isInPlace = false;
        _slice = larger;
    }
}
