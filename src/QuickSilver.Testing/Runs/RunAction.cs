using System.Text.Json.Serialization;

namespace QuickSilver.Testing.Runs;

/// <summary>Something the application of one machine does at a time. What is impossible then (it has no living node, is
/// not in the group) is left undone.</summary>
/// <param name="At">When, counted from the start of the run.</param>
/// <param name="Node">Index of the machine.</param>
[JsonPolymorphic(TypeDiscriminatorPropertyName = "action")]
[JsonDerivedType(typeof(GroupJoin), "join")]
[JsonDerivedType(typeof(GroupLeave), "leave")]
[JsonDerivedType(typeof(LeaveThenJoin), "leave-join")]
[JsonDerivedType(typeof(PublisherOpen), "publish")]
[JsonDerivedType(typeof(PublisherClose), "cease")]
[JsonDerivedType(typeof(NodeShutdown), "shutdown")]
internal abstract record RunAction(TimeSpan At, int Node)
{
    internal abstract void Apply(RunExecution run);
}
