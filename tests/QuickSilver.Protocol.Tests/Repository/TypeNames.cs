using System.Collections.Immutable;
using System.Reflection.Metadata;

namespace QuickSilver.Protocol.Tests.Repository;

/// <summary>
/// Turns handles and signatures into the full names of the types they mention, outermost types for nested ones, and reports every one. An array, pointer or generic
/// instance mentions its parts.
/// </summary>
internal sealed class TypeNames(MetadataReader metadata, Action<string> report) : ISignatureTypeProvider<ImmutableArray<string>, object?>
{
    public ImmutableArray<string> Of(EntityHandle handle) => handle.Kind switch
    {
        HandleKind.TypeDefinition => GetTypeFromDefinition(metadata, (TypeDefinitionHandle)handle, 0),
        HandleKind.TypeReference => GetTypeFromReference(metadata, (TypeReferenceHandle)handle, 0),
        HandleKind.TypeSpecification => GetTypeFromSpecification(metadata, null, (TypeSpecificationHandle)handle, 0),
        _ => [],
    };

    public string OutermostOf(TypeDefinitionHandle handle)
    {
        TypeDefinition type = metadata.GetTypeDefinition(handle);
        TypeDefinitionHandle outer = type.GetDeclaringType();
        return outer.IsNil ? Join(type.Namespace, type.Name) : OutermostOf(outer);
    }

    public ImmutableArray<string> GetTypeFromDefinition(MetadataReader reader, TypeDefinitionHandle handle, byte rawTypeKind) => Reported(OutermostOf(handle));

    public ImmutableArray<string> GetTypeFromReference(MetadataReader reader, TypeReferenceHandle handle, byte rawTypeKind)
    {
        TypeReference type = metadata.GetTypeReference(handle);
        return type.ResolutionScope.Kind == HandleKind.TypeReference
            ? GetTypeFromReference(reader, (TypeReferenceHandle)type.ResolutionScope, rawTypeKind)
            : Reported(Join(type.Namespace, type.Name));
    }

    public ImmutableArray<string> GetTypeFromSpecification(MetadataReader reader, object? genericContext, TypeSpecificationHandle handle, byte rawTypeKind) =>
        metadata.GetTypeSpecification(handle).DecodeSignature(this, genericContext);

    // Only the definition of a generic instance stands for a member's owner; its arguments have been reported when they were decoded.
    public ImmutableArray<string> GetGenericInstantiation(ImmutableArray<string> genericType, ImmutableArray<ImmutableArray<string>> typeArguments) => genericType;

    public ImmutableArray<string> GetFunctionPointerType(MethodSignature<ImmutableArray<string>> signature) => [];

    public ImmutableArray<string> GetPrimitiveType(PrimitiveTypeCode typeCode) => Reported("System." + typeCode);

    public ImmutableArray<string> GetGenericMethodParameter(object? genericContext, int index) => [];

    public ImmutableArray<string> GetGenericTypeParameter(object? genericContext, int index) => [];

    public ImmutableArray<string> GetModifiedType(ImmutableArray<string> modifier, ImmutableArray<string> unmodifiedType, bool isRequired) => unmodifiedType;

    public ImmutableArray<string> GetArrayType(ImmutableArray<string> elementType, ArrayShape shape) => elementType;

    public ImmutableArray<string> GetSZArrayType(ImmutableArray<string> elementType) => elementType;

    public ImmutableArray<string> GetByReferenceType(ImmutableArray<string> elementType) => elementType;

    public ImmutableArray<string> GetPointerType(ImmutableArray<string> elementType) => elementType;

    public ImmutableArray<string> GetPinnedType(ImmutableArray<string> elementType) => elementType;

    private string Join(StringHandle space, StringHandle name) => space.IsNil
        ? metadata.GetString(name)
        : $"{metadata.GetString(space)}.{metadata.GetString(name)}";

    private ImmutableArray<string> Reported(string name)
    {
        report(name);
        return [name];
    }
}
