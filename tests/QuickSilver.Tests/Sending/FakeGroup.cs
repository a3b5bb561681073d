using QuickSilver.Sending;

namespace QuickSilver.Tests.Sending;

/// <summary>A group that is nothing but a place for a stage.</summary>
internal sealed class FakeGroup : StagedGroup
{
    public override void Prepare()
    {
    }
}
