using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Dissemination.Messages;

/// <summary>
/// The writer of a source's messages: into a place in a packet, or straight into pooled memory, of which exactly the
/// message's length stays taken.
/// <para>
/// Idea: a source ends one message, and continues writing right behind it while the result allows. In a packet whose
/// last record is a batch, the batch takes any number of messages of one length, one after another, without a head
/// between them. So a small message costs little more than its bytes.
/// </para>
/// <para>
/// Awkward cases: a message that outgrows its room moves to pooled memory, each time to a piece at least twice as
/// large. A message whose length differs from the batch's moves there too, and ends the batch. A message that is in
/// memory already is passed by <see cref="Hand"/> and takes its turn like a written one.
/// </para>
/// <para>
/// Cost: O(1) a message. Allocates nothing in steady state. Core thread only.
/// </para>
/// </summary>
internal sealed class MessageWriter : IBufferWriter<byte>
{
    private const int FirstBytes = 512;

    // Memory that was not written for milliseconds has left the caches; a store that waits for it stalls those behind
    // it.
    private const int PrefetchDistance = 1024;

    private readonly Arena _arena;
    private Chunk? _chunk;
    private int _start;
    private int _room;
    private int _written;
    private bool _isInPlace;
    private int _length;
    private int _limit;
    private Payload? _payload;
    private SendTicket? _ticket;
    private bool _isPiece;

    /// <param name="arena">The memory's source; used by this writer only, because trimming needs the slice cut
    /// last.</param>
    internal MessageWriter(Arena arena) => _arena = arena;

    /// <summary>Bytes of the present message so far.</summary>
    public int Length => _written;

    /// <summary>
    /// What is said of the message that is written; set by the source before it ends the message. The source's mode
    /// decides what it means; elsewhere it is ignored. A message that is handed over has its own.
    /// </summary>
    public MessageTraits Traits { get; set; }

    /// <summary>
    /// The room in which messages of one length are taken side by side, by <see cref="EndMessages"/>.
    /// </summary>
    /// <param name="room">Room for at least one of them; valid until the source returns.</param>
    /// <param name="length">Bytes of each, at least 1.</param>
    /// <returns>False when messages are taken one by one only.</returns>
    public bool TryGetBatchRoom(out Span<byte> room, out int length)
    {
        int count = CountRoom();
        length = _length;
        room = count > 0 ? _chunk!.AsSpan(_start, count * _length) : default;
        return count > 0;
    }

    /// <summary>
    /// Ends <paramref name="count"/> messages, at least one, that were written into the room of a batch.
    /// </summary>
    /// <returns>As <see cref="EndMessage"/>.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The room holds fewer messages.</exception>
    public bool EndMessages(int count)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(count);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(count, CountRoom());
        return EndFollowers(count);
    }

    /// <summary>True when a message has ended that is not one of the followers.</summary>
    internal bool HasMessage { get; private set; }

    /// <summary>Messages that were added to a batch, and not taken yet.</summary>
    internal int Followers { get; private set; }

    /// <summary>
    /// Begins a message at a place of the caller's, where it stays if it fits; otherwise it moves to pooled memory.
    /// </summary>
    /// <param name="place">May be empty. The reference stays the caller's.</param>
    internal void Begin(in Slice place)
    {
        System.Diagnostics.Debug.Assert(
            _chunk is null && !HasMessage,
            "the message before was neither finished nor discarded");
        Use(place);
        _isInPlace = !place.IsEmpty;
        _limit = 0;
    }

    /// <summary>Begins messages that continue others of one length.</summary>
    /// <param name="place">The room behind them. The reference stays the caller's.</param>
    /// <param name="length">The length that they must have, at least 1.</param>
    /// <param name="limit">How many are taken.</param>
    internal void BeginFollowers(in Slice place, int length, int limit)
    {
        Begin(place);
        _length = length;
        _limit = limit;
    }

    /// <inheritdoc/>
    public void Advance(int count)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(count);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(count, _room - _written);
        _written += count;
    }

    /// <summary>Room for the following bytes.</summary>
    /// <exception cref="InvalidOperationException">The message would be longer than any node accepts.</exception>
    public Memory<byte> GetMemory(int sizeHint = 0)
    {
        EnsureRoom(sizeHint);
        return _chunk!.Memory.Slice(_start + _written, _room - _written);
    }

    /// <inheritdoc cref="GetMemory"/>
    public Span<byte> GetSpan(int sizeHint = 0)
    {
        EnsureRoom(sizeHint);
        return _chunk!.AsSpan(_start + _written, _room - _written);
    }

    /// <summary>Ends the present message.</summary>
    /// <returns>True when another is taken; false: nothing may be written before the source is asked again.</returns>
    public bool EndMessage()
    {
        if (_limit > 0 && _isInPlace)
        {
            if (_written == _length) return EndFollowers(1);
            MoveTo(_arena.Take(_written));
        }
        HasMessage = true;
        return false;
    }

    /// <summary>
    /// Passes a message whose bytes are in memory of the source's own: nothing is copied here. Bytes written since the
    /// last end are discarded. For a message that is long, or whose stability is followed.
    /// </summary>
    /// <param name="payload">The bytes, with one reference that passes to the protocol.</param>
    /// <param name="ticket">Notified when the message is numbered and when it is stable; may be null.</param>
    /// <param name="isPiece">True for a piece of a long message: it begins with a <see cref="MessagePiece"/>.</param>
    /// <returns>As <see cref="EndMessage"/>, and always false: the message is the last that is taken.</returns>
    /// <exception cref="InvalidOperationException">A message has ended already after which no other is
    /// taken.</exception>
    public bool Hand(Payload payload, SendTicket? ticket, bool isPiece = false)
    {
        ArgumentNullException.ThrowIfNull(payload);
        if (HasMessage)
        {
            throw new InvalidOperationException("No other message is taken before the source is asked again.");
        }
        Discard();
        _payload = payload;
        _ticket = ticket;
        _isPiece = isPiece;
        HasMessage = true;
        return false;
    }

    /// <summary>Takes a message that was passed by <see cref="Hand"/>, with the reference to its bytes.</summary>
    /// <returns>False when the message that has ended was written.</returns>
    internal bool TryTakeHanded(
        [NotNullWhen(true)] out Payload? payload, out SendTicket? ticket, out bool isPiece)
    {
        payload = _payload;
        ticket = _ticket;
        isPiece = _isPiece;
        if (payload is null) return false;
        Reset();
        return true;
    }

    /// <summary>
    /// Takes a message that has ended elsewhere than at the caller's place: its bytes, with one reference that passes
    /// to the caller.
    /// </summary>
    internal Slice Finish()
    {
        System.Diagnostics.Debug.Assert(!_isInPlace, "the memory is not the arena's");
        if (_chunk is null) Use(_arena.Take(0));
        Slice slice = Trimmed();
        Reset();
        return slice;
    }

    /// <summary>Takes a message that has ended if it is still at the place where it began.</summary>
    /// <param name="length">Its length.</param>
    /// <returns>False when it is not: then it waits for <see cref="Finish"/>.</returns>
    internal bool TryFinishInPlace(out int length)
    {
        length = _written;
        bool isInPlace = _isInPlace;
        if (isInPlace) Reset();
        return isInPlace;
    }

    /// <summary>Takes the number of messages that were added to a batch since the last call.</summary>
    internal int TakeFollowers()
    {
        int followers = Followers;
        Followers = 0;
        return followers;
    }

    /// <summary>Drops the message that has not ended.</summary>
    internal void Discard()
    {
        if (HasMessage) return;
        if (_chunk is not null && !_isInPlace)
        {
            _written = 0;
            Trimmed().Release();
        }
        Reset();
    }

    private int CountRoom() => _limit > 0 && _isInPlace && _written == 0 && !HasMessage
        ? Math.Min(_limit - Followers, _room / _length)
        : 0;

    private bool EndFollowers(int count)
    {
        int bytes = count * _length;
        _start += bytes;
        _room -= bytes;
        _written = 0;
        Followers += count;
        _chunk!.Prefetch(_start + PrefetchDistance);
        return Followers < _limit && _room >= _length;
    }

    private Slice Trimmed()
    {
        var slice = new Slice(_chunk, _start, _room);
        return _chunk!.Length > BufferPool.ChunkBytes ? slice with { Length = _written } : _arena.Trim(slice, _written);
    }

    private void Use(in Slice place)
    {
        _chunk = place.Chunk;
        _start = place.Offset;
        _room = place.Length;
    }

    private void Reset()
    {
        Use(default);
        _written = 0;
        _isInPlace = false;
        _payload = null;
        _ticket = null;
        _isPiece = false;
        Traits = default;
        HasMessage = false;
    }

    private void EnsureRoom(int sizeHint)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(sizeHint);
        long needed = _written + (long)Math.Max(1, sizeHint);
        if (needed <= _room) return;
        if (needed > PacketRecord.MaxMessageBytes)
        {
            throw new InvalidOperationException($"A message has at most {PacketRecord.MaxMessageBytes} bytes.");
        }
        int wanted = (int)Math.Min(PacketRecord.MaxMessageBytes, Math.Max(needed, Math.Max(FirstBytes, _room * 2L)));
        MoveTo(_arena.Take(wanted));
    }

    private void MoveTo(in Slice larger)
    {
        if (_chunk is { } chunk)
        {
            chunk.AsSpan(_start, _written).CopyTo(larger.Span);
            if (!_isInPlace) chunk.Release();
        }
        _isInPlace = false;
        Use(larger);
    }
}
