using System.Buffers.Binary;
using System.Runtime.CompilerServices;
using QuickSilver.Sending;

namespace QuickSilver.Tests.Sending;

/// <summary>A stage with one group, and the core's way to take from it.</summary>
public abstract class StageRig
{
    private protected StageRig()
    {
        Stage = new SendStage(Pool);
        Group.Stage = Stage;
    }

    private protected StageBlockPool Pool { get; } = new(64);

    private protected SendStage Stage { get; }

    private protected FakeGroup Group { get; } = new();

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_tail")]
    private protected static extern ref StageBlock? Tail(SendStage stage);

    /// <summary>Further groups of the stage, numbered from 1.</summary>
    private protected FakeGroup[] Groups(int count) =>
        [.. Enumerable.Range(1, count).Select(number => new FakeGroup { Stage = Stage, Number = number })];

    private protected void Append(FakeGroup group, int value) =>
        Assert.True(Stage.TryAppend(group, BitConverter.GetBytes(value)));

    /// <summary>Takes the messages of the group at the head, as far as they are linked.</summary>
    private protected int[] TakeChain(StagedGroup group)
    {
        Assert.True(Stage.TryPeek(out StageEntry entry));
        Assert.Same(group, entry.Group);
        StagePosition at = Stage.Gather();
        List<int> values = [];
        bool any = true;
        while (any)
        {
            values.Add(BinaryPrimitives.ReadInt32LittleEndian(entry.Message));
            StagePosition taken = at;
            any = Stage.TryFollow(ref at, group, out entry);
            Stage.Take(taken);
        }
        return [.. values];
    }

    /// <summary>Takes everything, one by one.</summary>
    /// <returns>The number of entries.</returns>
    private protected int TakeAll()
    {
        int count = 0;
        for (; Stage.TryPeek(out _); count++) Stage.Advance();
        return count;
    }
}
