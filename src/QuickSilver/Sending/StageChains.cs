using System.Runtime.CompilerServices;

namespace QuickSilver.Sending;

/// <summary>
/// Finds the next entry of the same group among those that wait in a stage, so that the core takes messages of a group
/// together though they were sent to groups in turn.
/// <para>
/// Idea: each complete entry is looked at once, and linked to the last one before it that has its group's number. Slots
/// carry that number, so no group is touched. The links lie in the blocks, apart from what producers write. All that
/// waits is looked at in one go, and again when it has been read. Where that finds little, as with more groups than
/// waiting messages, it pauses.
/// </para>
/// <para>
/// Awkward cases. Groups may share a number, and an entry may have been taken out: who follows a link checks what it
/// finds. Then a chain ends early, and the head of the stage is next, which is always the oldest entry of its group.
/// No link passes a barrier (<see cref="IStageBarrier"/>). An incomplete entry ends the look: what is behind it is
/// linked later, so the order per producer holds.
/// </para>
/// Cost: a few nanoseconds an entry; memory by the highest number of a group, up to a limit. Core thread only. Source:
/// ours.
/// </summary>
internal sealed class StageChains
{
    /// <summary>How many blocks are looked at together: four times as much as waits at the default limits.</summary>
    public const int MaxBlocks = 128;

    private const int MaxGroups = 1 << 14;

    // A look is worth its price when at least one of so many entries is linked; else the next looks are left out, for
    // so many times the entries.
    private const int WorthOneOf = 8;
    private const int PauseFactor = 4;

    private const uint SlotMask = StageBlock.Slots - 1;

    private readonly StageBlock?[] _blocks = new StageBlock?[MaxBlocks];

    // By the group's number: the last entry, counted in slots over all blocks.
    private uint[] _last = new uint[64];

    // What is looked at next; null: the stage has no block that has been looked at.
    private StageBlock? _block;
    private int _slot;
    private uint _ordinal;

    // Entries before it are not linked: they were looked at before, or are before a barrier.
    private uint _floor;

    // Of the present look.
    private bool _isLinked;
    private int _looked;
    private int _linked;

    // Entries to be read before the next look.
    private int _pause;

    /// <summary>Links the complete entries that have not been looked at, once all that were have been read.</summary>
    /// <param name="head">The stage's first block.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Extend(StageBlock head)
    {
        if (head == _block ? head.ReadSlot < _slot : _block is not null) return;
        _isLinked = false;
        if (_pause > 0) _pause--;
        else LinkWaiting(head);
    }

    /// <summary>The stage gives its first block up, which is read out.</summary>
    /// <param name="block">The block.</param>
    /// <param name="next">The next one; null: the stage has none.</param>
    public void OnLeft(StageBlock block, StageBlock? next)
    {
        ref StageBlock? known = ref _blocks[block.Ordinal % MaxBlocks];
        if (known == block) known = null;
        if (block != _block) return;
        _block = null;
        if (next is not null) Enter(next);
    }

    /// <summary>Finds the next entry of the same group, and takes the position there.</summary>
    /// <param name="at">The position of an entry.</param>
    /// <param name="group">Its group.</param>
    /// <param name="entry">The next entry.</param>
    /// <returns>False when none is known.</returns>
    public bool TryFollow(scoped ref StagePosition at, StagedGroup group, out StageEntry entry)
    {
        entry = default;
        if (!_isLinked) return false;
        int link = at.Block.LinkOf(at.Slot);
        if (link == 0) return false;
        uint place = (at.Block.Ordinal * StageBlock.Slots) + (uint)(at.Slot + link);
        at = new StagePosition(BlockOf(place), (int)(place & SlotMask));
        return at.Block.TryRead(at.Slot, out entry) && ReferenceEquals(entry.Group, group);
    }

    /// <summary>Links an entry to the one before it of its group.</summary>
    public void OnEntry(int slot, int group)
    {
        uint place = PlaceOf(slot);
        if (group >= _last.Length) Grow(group);
        ref uint last = ref _last[group & (_last.Length - 1)];
        uint distance = place - last;
        _looked++;
        if (distance <= place - _floor)
        {
            BlockOf(last).LinkOf((int)(last & SlotMask)) = (int)distance;
            _linked++;
        }
        last = place;
    }

    /// <summary>Nothing behind an entry is linked to what is before it.</summary>
    public void OnBarrier(int slot) => _floor = PlaceOf(slot) + 1;

    private void LinkWaiting(StageBlock head)
    {
        if (_block is null) Enter(head);
        _slot = head.ReadSlot;
        _floor = PlaceOf(_slot);
        _looked = 0;
        _linked = 0;
        _block!.Link(ref _slot, this);
        while (_block.Next is { } next
            && _block.IsEnd(new StagePosition(_block, _slot))
            && _block.Ordinal - head.Ordinal < MaxBlocks - 1)
        {
            Enter(next);
            next.Link(ref _slot, this);
        }
        _isLinked = _linked > 0;
        if (_linked < _looked / WorthOneOf) _pause = _looked * PauseFactor;
    }

    private uint PlaceOf(int slot) => (_block!.Ordinal * StageBlock.Slots) + (uint)slot;

    private StageBlock BlockOf(uint place) => _blocks[(place / StageBlock.Slots) % MaxBlocks]!;

    private void Enter(StageBlock block)
    {
        _block = block;
        _slot = block.ReadSlot;
        block.Ordinal = ++_ordinal;
        _blocks[_ordinal % MaxBlocks] = block;
    }

    private void Grow(int group)
    {
        int length = _last.Length;
        while (length <= group && length < MaxGroups) length *= 2;
        if (length > _last.Length) Array.Resize(ref _last, length);
    }
}
